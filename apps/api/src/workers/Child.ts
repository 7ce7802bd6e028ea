/** The side of the parent: one process of a worker. */
import cluster, { type Worker as Process } from "node:cluster"
import type { BoundAddress } from "@petstore/http-server/HttpListener"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import type { Format } from "../observe/Log.ts"
import type { WriteLines } from "../observe/LogOutput.ts"
import * as Heartbeat from "./Heartbeat.ts"
import * as LineForwarding from "./LineForwarding.ts"
import { Message, type Question, Role, variable } from "./Message.ts"
import type { Member, MetricsAggregate } from "./MetricsAggregate.ts"

/** How a process ended. */
export interface Ending {
  readonly exitCode: number | undefined
  readonly signal: string | undefined
  /** Why it could not be started. */
  readonly reason: string | undefined
}

/** What processes of workers share. */
export interface Options {
  readonly format: Format
  /** Writes its lines to the log. */
  readonly forward: WriteLines
  /** Adds up their metrics, if there is a port for them. */
  readonly metrics: MetricsAggregate | undefined
  /** How long the requests of one may take when it stops. */
  readonly stopTimeout: Duration.Duration
}

/** A process of a worker. */
export interface Child {
  readonly pid: number | undefined
  /** Where it serves, once it does. */
  readonly ready: Effect.Effect<BoundAddress>
  readonly ended: Effect.Effect<Ending>
}

/** How much longer than configured a process may take to stop, if it answers. */
const margin = Duration.seconds(15)

/** Starts a process, and kills it if it hangs. When the scope closes, sends it `SIGTERM` and waits for its end. */
export const start = (role: Role, options: Options) =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      const ready = yield* Deferred.make<BoundAddress>()
      const ended = yield* Deferred.make<Ending>()
      const heartbeat = Heartbeat.make(() => ask(worker, "heartbeat"))
      const worker = fork(role, options, {
        onReady: (place) => Deferred.unsafeDone(ready, Effect.succeed(place)),
        onMessage: heartbeat.beat,
        onEnd: (ending) => Deferred.unsafeDone(ended, Effect.succeed(ending))
      })
      const { pid } = worker.process
      const kill = (reason: string) =>
        Effect.gen(function* () {
          yield* Effect.logWarning(`worker ${role.number} ${reason}, so it is killed`).pipe(
            Effect.annotateLogs({ worker: role.number, pid })
          )
          // A process that is stopped ignores other signals.
          worker.process.kill("SIGKILL")
          return yield* Deferred.await(ended)
        })
      /** Waits for its end, or kills it for a reason. */
      const endedOr = (reason: Effect.Effect<string>) =>
        Effect.raceFirst(
          Effect.map(Effect.interruptible(Deferred.await(ended)), Effect.succeed),
          Effect.map(Effect.interruptible(reason), kill)
        ).pipe(Effect.flatten)
      // Until it is ready, work such as a migration may keep it from answering.
      const asking = yield* Effect.zipRight(Deferred.await(ready), heartbeat.ask).pipe(
        Effect.interruptible,
        Effect.forkDaemon
      )
      return {
        worker,
        asking,
        endedOr,
        heartbeat,
        pid,
        ready: Deferred.await(ready),
        ended: endedOr(Effect.as(heartbeat.lost(10), noAnswer))
      }
    }),
    ({ asking, endedOr, heartbeat, worker }) =>
      Effect.gen(function* () {
        worker.process.kill("SIGTERM")
        const late = Effect.raceFirst(
          Effect.as(heartbeat.lost(2), noAnswer),
          Effect.as(Effect.sleep(margin), "does not stop")
        )
        yield* endedOr(Effect.zipRight(Effect.sleep(options.stopTimeout), late))
        yield* Fiber.interrupt(asking)
      })
  )

const noAnswer = "does not answer"

interface Listener {
  readonly onReady: (place: BoundAddress) => void
  readonly onMessage: () => void
  readonly onEnd: (ending: Ending) => void
}

const isMessage = Schema.is(Message)

const encode = Schema.encodeSync(Role)

const ask = (worker: Process, question: Question) => {
  // Without a callback an error would be thrown.
  if (worker.isConnected()) worker.send(question, () => {})
}

const fork = (role: Role, { format, forward, metrics }: Options, listener: Listener): Process => {
  const worker = cluster.fork({ [variable]: encode(role), LOG_FORMAT: format })
  const { process: child } = worker
  let member: Member | undefined
  const end = (ending: Ending) => {
    member?.leave()
    listener.onEnd(ending)
  }
  if (child.stdout !== null) LineForwarding.forwardLines(child.stdout, forward)
  worker.on("message", (message: unknown) => {
    if (!isMessage(message)) return
    listener.onMessage()
    switch (message._tag) {
      case "ready":
        member = metrics?.add(() => ask(worker, "metrics"))
        return listener.onReady(message)
      case "turn":
        return ask(worker, "turn")
      case "metrics":
        return member?.receive(message.metrics)
    }
  })
  // Other errors are followed by the end.
  worker.on("error", ({ message }) => {
    if (child.pid === undefined) end({ exitCode: undefined, signal: undefined, reason: message })
  })
  // By then its output was read to the end.
  child.once("close", (code, signal) =>
    end({ exitCode: code ?? undefined, signal: signal ?? undefined, reason: undefined })
  )
  return worker
}
