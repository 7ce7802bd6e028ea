/** The side of the parent: one process of a worker. */
import type { ChildProcess } from "node:child_process"
import cluster from "node:cluster"
import type { BoundAddress } from "@petstore/http-server/HttpListener"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Log } from "../observe/Log.ts"
import { forwardLines } from "../observe/LogOutput.ts"
import { Message, type Question, Role, variable } from "../Worker.ts"
import type { MetricsAggregate } from "./MetricsAggregate.ts"

export interface Ending {
  readonly pid: number | undefined
  readonly exitCode?: number | undefined
  readonly signal?: string | undefined
  /** Why it could not be started. */
  readonly reason?: string
}

/** What processes of workers share. */
export interface Options extends Pick<Log["Type"], "format" | "forward"> {
  /** Adds up their metrics, if there is a port for them. */
  readonly metrics: MetricsAggregate | undefined
  /** How long the requests of one may take when it stops. */
  readonly stopTimeout: Duration.Duration
}

/** How much longer than configured a process may take to stop, if it answers. */
const margin = Duration.seconds(15)

/** Runs a process to its end, and kills it if it hangs. If interrupted, sends it `SIGTERM` and waits for its end. */
export const run = (
  role: Role,
  options: Options,
  onReady: (place: BoundAddress) => Effect.Effect<unknown>
): Effect.Effect<Ending> =>
  Effect.acquireUseRelease(
    Effect.gen(function* () {
      const ready = yield* Deferred.make<BoundAddress>()
      const ended = yield* Deferred.make<Ending>()
      const { child, heartbeat } = fork(role, options, ready, ended)
      const about = Effect.annotateLogs({ worker: role.number, pid: child.pid })
      const kill = (reason: string) =>
        Effect.map(
          about(Effect.logWarning(`worker ${role.number} ${reason}, so it is killed`)),
          // A process that is stopped ignores other signals.
          () => child.kill("SIGKILL")
        )
      /** Waits for its end, and kills it for a reason. */
      const endedOr = (reason: Effect.Effect<string>) =>
        Effect.raceFirst(
          Effect.interruptible(Deferred.await(ended)),
          Effect.interruptible(Effect.zipRight(Effect.flatMap(reason, kill), Effect.never))
        )
      // Until it is ready, work such as a migration may keep it from answering.
      const hangs = (questions: number) =>
        Effect.zipRight(Deferred.await(ready), heartbeat.lost(questions)).pipe(
          Effect.as("does not answer")
        )
      const serves = Deferred.await(ready).pipe(
        Effect.zipLeft(about(Effect.logInfo(`worker ${role.number} is ready`))),
        Effect.flatMap(onReady)
      )
      const isLate = Effect.raceFirst(hangs(2), Effect.as(Effect.sleep(margin), "does not stop"))
      return {
        child,
        ended: endedOr(Effect.zipRight(serves, hangs(10))),
        stopped: endedOr(Effect.zipRight(Effect.sleep(options.stopTimeout), isLate))
      }
    }),
    ({ ended }) => ended,
    ({ child, stopped }) =>
      Effect.zipRight(
        Effect.sync(() => child.kill("SIGTERM")),
        stopped
      )
  )

/** Node's own list lacks those that have left: see `leave` below. */
const running = new Set<ChildProcess>()

export const killAll = (): void => {
  for (const child of running) child.kill("SIGKILL")
}

const isMessage = Schema.is(Message)

const encode = Schema.encodeSync(Role)

const fork = (
  role: Role,
  { format, forward, metrics }: Options,
  ready: Deferred.Deferred<BoundAddress>,
  ended: Deferred.Deferred<Ending>
) => {
  const worker = cluster.fork({ [variable]: encode(role), LOG_FORMAT: format })
  const { process: child } = worker
  running.add(child)
  const ask = (question: Question) => {
    // Without a callback an error would be thrown.
    if (worker.isConnected()) worker.send(question, () => {})
  }
  const heartbeat = makeHeartbeat(() => ask("heartbeat"))
  let member: ReturnType<MetricsAggregate["add"]> | undefined
  const end = (ending: Omit<Ending, "pid">) => {
    member?.leave()
    running.delete(child)
    Deferred.unsafeDone(ended, Effect.succeed({ pid: child.pid, ...ending }))
  }
  if (child.stdout !== null) forwardLines(child.stdout, forward)
  worker.on("message", (message: unknown) => {
    if (!isMessage(message)) return
    heartbeat.beat()
    switch (message._tag) {
      case "ready":
        member = metrics?.add(() => ask("metrics"))
        return Deferred.unsafeDone(ready, Effect.succeed(message))
      case "leave":
        // If the worker closed its listener first, a connection in between would wait until this process ends.
        worker.disconnect()
        return ask("turn")
      case "turn":
        return ask("turn")
      case "metrics":
        return member?.receive(message.metrics)
    }
  })
  // Other errors are followed by the end.
  worker.on("error", ({ message }) => {
    if (child.pid === undefined) end({ reason: message })
  })
  // By then its output was read to the end.
  child.once("close", (code, signal) =>
    end({ exitCode: code ?? undefined, signal: signal ?? undefined })
  )
  return { child, heartbeat }
}

/** Notices that a process no longer answers. Counts questions, not time: if this process itself was suspended, the other one still has time to answer. */
const makeHeartbeat = (ask: () => void) => {
  let unanswered = 0
  const askAgain = Effect.sync(() => {
    unanswered++
    ask()
  })
  return {
    /** The process has sent something. */
    beat: () => {
      unanswered = 0
    },
    /** Asks once a second. Completes once this many questions in a row had a second each, and no answer. */
    lost: (questions: number) =>
      Effect.zipRight(askAgain, Effect.sleep("1 second")).pipe(
        Effect.repeat({ until: () => unanswered >= questions })
      )
  }
}
