/** The side of the parent: one process of a worker. */
import cluster, { type Worker as Process } from "node:cluster"
import type { Place } from "@petstore/http-server/HttpListener"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Format } from "../observe/Log.ts"
import type { WriteLines } from "../observe/LogOutput.ts"
import { Message, type Question, Role, variable } from "./Message.ts"
import * as Output from "./Output.ts"
import type { Member, Sum } from "./Sum.ts"

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
  /** The sum of their metrics, if there are any. */
  readonly sum: Sum | undefined
  /** How long one may take to stop. */
  readonly stopTimeout: Duration.Duration
}

/** A process of a worker. */
export interface Child {
  readonly pid: number | undefined
  /** Where it serves, once it does. */
  readonly ready: Effect.Effect<Place>
  readonly ended: Effect.Effect<Ending>
}

/** Starts a process. When the scope closes, sends it `SIGTERM` and waits for its end. */
export const start = (role: Role, options: Options) =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      const ready = yield* Deferred.make<Place>()
      const ended = yield* Deferred.make<Ending>()
      const worker = fork(role, options, {
        onReady: (place) => Deferred.unsafeDone(ready, Effect.succeed(place)),
        onEnd: (ending) => Deferred.unsafeDone(ended, Effect.succeed(ending))
      })
      return {
        worker,
        pid: worker.process.pid,
        ready: Deferred.await(ready),
        ended: Deferred.await(ended)
      }
    }),
    ({ ended, pid, worker }) =>
      Effect.gen(function* () {
        worker.process.kill("SIGTERM")
        const inTime = ended.pipe(Effect.interruptible, Effect.timeoutOption(options.stopTimeout))
        if ((yield* inTime)._tag === "Some") return
        yield* Effect.logWarning(`worker ${role.number} does not stop, so it is killed`).pipe(
          Effect.annotateLogs({ worker: role.number, pid })
        )
        worker.process.kill("SIGKILL")
        yield* ended
      })
  )

interface Listener {
  readonly onReady: (place: Place) => void
  readonly onEnd: (ending: Ending) => void
}

const isMessage = Schema.is(Message)

const encode = Schema.encodeSync(Role)

const fork = (role: Role, { format, forward, sum }: Options, listener: Listener): Process => {
  const worker = cluster.fork({ [variable]: encode(role), LOG_FORMAT: format })
  const { process: child } = worker
  let member: Member | undefined
  const ask = (question: Question) => {
    // Without a callback an error would be thrown.
    if (worker.isConnected()) worker.send(question, () => {})
  }
  const end = (ending: Ending) => {
    member?.leave()
    listener.onEnd(ending)
  }
  if (child.stdout !== null) Output.forwardLines(child.stdout, forward)
  worker.on("message", (message: unknown) => {
    if (!isMessage(message)) return
    switch (message._tag) {
      case "ready":
        member = sum?.add(() => ask("metrics"))
        return listener.onReady(message)
      case "turn":
        return ask("turn")
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
