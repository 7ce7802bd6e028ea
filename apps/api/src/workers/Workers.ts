/** Several processes that serve together: starts them, replaces those that end, and stops them. */
import cluster from "node:cluster"
import { realpathSync } from "node:fs"
import type { BoundAddress } from "@petstore/http-server/HttpListener"
import type { ListenFailed } from "@petstore/http-server/ListenFailed"
import * as Arr from "effect/Array"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"
import * as Struct from "effect/Struct"
import { CommandFailed, exitCodes, failed } from "../cli/CommandFailed.ts"
import { Terminal } from "../cli/Terminal.ts"
import { Log } from "../observe/Log.ts"
import * as MetricsListener from "../observe/MetricsListener.ts"
import type { AppConfig } from "../settings/AppConfig.ts"
import * as Child from "./Child.ts"

/** Serves until interrupted. Announces the address once the first worker serves. */
export const run = (
  config: AppConfig,
  announce: (place: BoundAddress) => Effect.Effect<void, never, Scope.Scope>
): Effect.Effect<never, CommandFailed | ListenFailed, Log | Scope.Scope | Terminal> =>
  Effect.gen(function* () {
    const { format, forward } = yield* Log
    yield* prepare
    const metrics = yield* serveMetrics(config)
    const stopTimeout = Duration.sum(config.prestop, config.drainTimeout)
    const first = yield* Deferred.make<BoundAddress, CommandFailed>()
    const serving = new Set<number>()
    const options = { format, forward, metrics, stopTimeout, fd: config.fd, first, serving }
    // The first worker starts alone: it migrates, creates the first key, and finds out what is wrong.
    const workers = yield* Effect.forEach(
      Arr.range(1, config.workers),
      (number) =>
        Effect.zipRight(
          number === 1 ? Effect.void : Deferred.await(first),
          keepRunning(number, options)
        ),
      { concurrency: "unbounded", discard: true }
    ).pipe(Effect.zipRight(Effect.never), Effect.forkScoped)
    yield* announce(yield* Deferred.await(first))
    return yield* Fiber.join(workers)
  })

const prepare = Effect.map(Terminal, (terminal) => {
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({ stdio: ["ignore", "pipe", "inherit", "ipc"] })
  // A link to the current version may lead to another one by the time that a worker is started again.
  cluster.setupPrimary({ exec: realpathSync(cluster.settings.exec ?? "") })
  // Workers are only left if this process ends at once, by the third signal.
  terminal.once("exit", Child.killAll)
})

/** The metrics of all workers, if there is a port for them. */
const serveMetrics = ({ host, metricsPort: port }: AppConfig) =>
  Effect.gen(function* () {
    if (port === undefined) return undefined
    const all = (yield* Effect.promise(() => import("./MetricsAggregate.ts"))).make()
    yield* MetricsListener.serve({ host, port }, all.read)
    return all
  })

interface Options extends Child.Options {
  /** The passed socket, if there is one. */
  readonly fd: number | undefined
  /** Where the first worker serves, or why it does not. */
  readonly first: Deferred.Deferred<BoundAddress, CommandFailed>
  /** The numbers of the workers that serve. */
  readonly serving: Set<number>
}

/** After a run of this time the pause is short again. */
const longRun = "30 seconds"

/** The pause in milliseconds after a run that had this pause before it: twice as long if the run was short. */
export const pauseAfter = (ran: Duration.Duration, before: number): number =>
  Duration.lessThan(ran, longRun) ? Math.min(Math.max(100, 2 * before), 30_000) : 100

/** Starts a worker, and again whenever it ends, after a pause that grows while its runs are short. */
const keepRunning = (number: number, options: Options): Effect.Effect<never, CommandFailed> =>
  Effect.gen(function* () {
    const { fd, first, metrics, serving } = options
    let pause = 0
    while (true) {
      const isFirst = !(yield* Deferred.isDone(first))
      const [ran, ending] = yield* Effect.timed(
        Child.run({ number, isFirst }, options, (place) => {
          serving.add(number)
          return Deferred.succeed(first, place)
        })
      )
      // Without effect if the first worker was ready once.
      yield* Deferred.fail(first, failureOf(ending))
      yield* Deferred.await(first)
      serving.delete(number)
      // Node closed the passed socket with the last worker that used it. The supervisor still has it.
      if (fd !== undefined && serving.size === 0) return yield* lost
      pause = pauseAfter(ran, pause)
      const millis = pause * (yield* Random.nextRange(0.8, 1.2))
      const seconds = (millis / 1000).toFixed(1)
      yield* Effect.logWarning(`worker ${number} ended; it starts again in ${seconds} s`).pipe(
        Effect.annotateLogs({ worker: number, ...ending })
      )
      yield* Effect.sleep(millis)
      metrics?.countRestart()
    }
  })

const lost = failed("all workers ended: start the service again, on the same socket")

/** The parent ends as its first worker did, which has printed why, unless it was killed. */
const failureOf = ({ exitCode, reason, signal }: Child.Ending): CommandFailed =>
  new CommandFailed({
    message: exitCode === undefined ? `the first worker did not start (${reason ?? signal})` : "",
    reason: Struct.keys(exitCodes).find((reason) => exitCodes[reason].code === exitCode) ?? "failed"
  })
