/** Writes in batches: what arrives while one batch is synced goes into the next. */
import { Worker } from "node:worker_threads"
import * as Direct from "@petstore/direct/Direct"
import { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as SqliteFailure from "./SqliteFailure.ts"
import type { Command } from "./WriteCommands.ts"
import type { Settings } from "./WriteConnection.ts"
import type { Outcome, Report } from "./WriterThread.ts"

/** Executes a command. Succeeds with its result once it is synced to disk. */
export type Write = (command: Command) => Effect.Effect<bigint, StoreUnavailable>

interface Waiting {
  readonly command: Command
  readonly settle: Direct.Callback<bigint, StoreUnavailable>
}

/** The file, how long to wait for its lock, and the length of the queue. */
export interface Options extends Omit<Settings, "giveUp"> {
  /** How many writes may wait; 10,000 by default. Any more are refused as busy. */
  readonly mostWaiting?: number
}

const mostInABatch = 256
const longestEnd = 1000

/** Starts the thread. When the scope closes, what was accepted is written before it ends. */
export const make = ({
  mostWaiting = 10_000,
  ...settings
}: Options): Effect.Effect<Write, StoreUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    // In order of arrival. A set, so that a write that is interrupted leaves at once.
    const waiting = new Set<Waiting>()
    let inFlight: ReadonlyArray<Waiting> = []
    let thread: Worker | undefined
    const giveUp = new Int32Array(new SharedArrayBuffer(4))
    let closed = false
    let onIdle = () => {}

    /** When a thread ends, the batch it had fails; the next write starts another thread. */
    const start = () => {
      const worker = new Worker(new URL("./WriterThread.js", import.meta.url), {
        workerData: { ...settings, giveUp }
      })
      let cause: unknown = new Error("the writer thread has ended")
      worker.on("message", (message: Report) => {
        if ("failure" in message) cause = SqliteFailure.received(message.failure)
        if (!Array.isArray(message)) return
        // The lock was not released in time, so the writes that wait fail, too, without a wait each.
        if (message.every(isBusy)) inFlight = [...inFlight, ...takeFirst(waiting, waiting.size)]
        settle((index) => outcome(message[index] ?? message[0]))
      })
      worker.on("error", (error) => {
        cause = error
      })
      worker.on("exit", () => {
        if (thread !== worker) return
        thread = undefined
        settle(() => Exit.fail(SqliteFailure.from(cause)))
      })
      thread = worker
      return worker
    }
    const settle = (resultOf: (index: number) => Exit.Exit<bigint, StoreUnavailable>) => {
      const settled = inFlight
      inFlight = []
      settled.forEach((one, index) => {
        one.settle(resultOf(index))
      })
      flush()
    }
    const flush = () => {
      if (inFlight.length > 0) return
      if (waiting.size === 0) return onIdle()
      inFlight = takeFirst(waiting, mostInABatch)
      try {
        const worker = thread ?? start()
        worker.postMessage(inFlight.map((one) => one.command))
      } catch (error) {
        settle(() => Exit.fail(SqliteFailure.from(error)))
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
        // No caller waits for results any more: stop waiting for other processes' locks.
        const timer = setTimeout(() => Atomics.store(giveUp, 0, 1), longestEnd)
        thread?.once("exit", () => clearTimeout(timer))
      })
    )

    return (command) =>
      Direct.async((settle) => {
        const one = { command, settle }
        if (closed) settle(Exit.fail(ended))
        else if (waiting.size >= mostWaiting) settle(Exit.fail(overrun(waiting.size)))
        else {
          waiting.add(one)
          flush()
        }
        return () => void waiting.delete(one)
      })
  })

/** Removes the first of these, at most so many. */
const takeFirst = <A>(from: Set<A>, most: number): ReadonlyArray<A> => {
  const taken: Array<A> = []
  for (const one of from) {
    if (taken.length === most) break
    from.delete(one)
    taken.push(one)
  }
  return taken
}

const ended = new StoreUnavailable({ reason: "down", cause: new Error("the store is closed") })
const overrun = (waiting: number) =>
  new StoreUnavailable({
    reason: "busy",
    cause: new Error(`${waiting} writes are waiting already`)
  })

const isBusy = (result: Outcome): boolean =>
  typeof result !== "bigint" && result.code?.startsWith("SQLITE_BUSY") === true

const outcome = (result: Outcome | undefined): Exit.Exit<bigint, StoreUnavailable> =>
  typeof result === "bigint"
    ? Exit.succeed(result)
    : Exit.fail(SqliteFailure.received(result ?? { message: "no answer", code: undefined }))

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
