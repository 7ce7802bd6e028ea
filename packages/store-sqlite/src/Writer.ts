/** Writes, in batches: what arrives while one is being synced is synced together next. */
import { Worker } from "node:worker_threads"
import { StoreUnavailable } from "@petstore/domain/PetStore"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Settings } from "./Connection.ts"
import * as SqliteFailure from "./SqliteFailure.ts"
import type { Command } from "./Statements.ts"
import type { Outcome, Report } from "./WriterThread.ts"

/** Writes something and gives the answer, once it is synced to disk. */
export type Write = (command: Command) => Effect.Effect<bigint, StoreUnavailable>

interface Waiting {
  readonly command: Command
  readonly settle: (result: Effect.Effect<bigint, StoreUnavailable>) => void
}

const mostInABatch = 256
const mostWaiting = 10_000
const longestEnd = 1000

/** Starts the thread. When the scope closes, what was accepted is written before it ends. */
export const make = (
  settings: Omit<Settings, "giveUp">
): Effect.Effect<Write, StoreUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    let waiting: Array<Waiting> = []
    let inFlight: ReadonlyArray<Waiting> = []
    let thread: Worker | undefined
    const giveUp = new Int32Array(new SharedArrayBuffer(4))
    let closed = false
    let onIdle = () => {}

    /** A thread that died takes the batch it had with it; the next write starts another. */
    const start = () => {
      const worker = new Worker(new URL("./WriterThread.js", import.meta.url), {
        workerData: { ...settings, giveUp }
      })
      let cause: unknown = new Error("the writer thread has ended")
      worker.on("message", (message: Report) => {
        if ("failure" in message) cause = SqliteFailure.received(message.failure)
        if (!Array.isArray(message)) return
        // Who waits behind a lock that did not open in time has no reason to hope for more.
        if (message.every(isBusy)) inFlight = inFlight.concat(waiting.splice(0))
        settle((index) => outcome(message[index] ?? message[0]))
      })
      worker.on("error", (error) => {
        cause = error
      })
      worker.on("exit", () => {
        if (thread !== worker) return
        thread = undefined
        settle(() => Effect.fail(SqliteFailure.from(cause)))
      })
      thread = worker
      return worker
    }
    const settle = (resultOf: (index: number) => Effect.Effect<bigint, StoreUnavailable>) => {
      const settled = inFlight
      inFlight = []
      settled.forEach((one, index) => {
        one.settle(resultOf(index))
      })
      flush()
    }
    const flush = () => {
      if (inFlight.length > 0) return
      if (waiting.length === 0) return onIdle()
      inFlight = waiting.splice(0, mostInABatch)
      try {
        const worker = thread ?? start()
        worker.postMessage(inFlight.map((one) => one.command))
      } catch (error) {
        settle(() => Effect.fail(SqliteFailure.from(error)))
      }
    }

    yield* Effect.acquireRelease(Effect.flatMap(Effect.sync(start), ready), () =>
      Effect.async<void>((resume) => {
        closed = true
        onIdle = () => {
          if (thread === undefined) return resume(Effect.void)
          onIdle = () => resume(Effect.void)
          thread.postMessage("close")
        }
        flush()
        // By then whoever asked is gone, and a lock that others hold is no longer waited for.
        const timer = setTimeout(() => Atomics.store(giveUp, 0, 1), longestEnd)
        thread?.once("exit", () => clearTimeout(timer))
      })
    )

    return (command) =>
      Effect.async((settle) => {
        if (closed) return settle(Effect.fail(ended))
        if (waiting.length >= mostWaiting) return settle(Effect.fail(overrun))
        const one = { command, settle }
        waiting.push(one)
        flush()
        return Effect.sync(() => {
          waiting = waiting.filter((other) => other !== one)
        })
      })
  })

const ended = new StoreUnavailable({ reason: "down", cause: new Error("the store is closed") })
const overrun = new StoreUnavailable({
  reason: "busy",
  cause: new Error(`more than ${mostWaiting} writes are waiting`)
})

const isBusy = (result: Outcome): boolean =>
  typeof result !== "bigint" && result.code?.startsWith("SQLITE_BUSY") === true

const outcome = (result: Outcome | undefined): Effect.Effect<bigint, StoreUnavailable> =>
  typeof result === "bigint"
    ? Effect.succeed(result)
    : Effect.fail(SqliteFailure.received(result ?? { message: "no answer", code: undefined }))

/** Waits until the thread has opened the database. */
const ready = (worker: Worker) =>
  Effect.async<void, StoreUnavailable>((resume) => {
    worker.once("message", (report: Report) =>
      resume(
        "failure" in report ? Effect.fail(SqliteFailure.received(report.failure)) : Effect.void
      )
    )
    worker.once("error", (error) => resume(Effect.fail(SqliteFailure.from(error))))
  })
