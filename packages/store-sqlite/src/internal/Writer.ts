/** Writes in batches: what arrives while one batch is synced goes into the next. */
import * as Direct from "@petstore/direct/Direct"
import { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Iterable from "effect/Iterable"
import type * as Scope from "effect/Scope"
import * as SqliteFailure from "./SqliteFailure.ts"
import * as Thread from "./Thread.ts"
import type { Settings } from "./WriteConnection.ts"
import type { Command, Outcome } from "./WriterThread.ts"

/** Executes a command. Succeeds with its result once it is synced to disk. */
export type Write = (command: Command) => Effect.Effect<bigint, StoreUnavailable>

interface Waiting {
  readonly command: Command
  readonly settle: Direct.Callback<bigint, StoreUnavailable>
}

/** Queue length and batch callback. */
export interface Options {
  /** How many writes may wait; 10,000 by default. Any more are refused as busy. */
  readonly mostWaiting?: number
  /** Told how many writes were committed together. */
  readonly onBatch?: ((size: number) => void) | undefined
}

const mostInABatch = 256
const longestEnd = 1000

/** Starts the thread. When the scope closes, what was accepted is written before it ends. */
export const make = (
  settings: Settings,
  { mostWaiting = 10_000, onBatch = () => {} }: Options = {}
): Effect.Effect<Write, StoreUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    // In order of arrival. A set, so that a write that is interrupted leaves at once.
    const waiting = new Set<Waiting>()
    const giveUp = new Int32Array(new SharedArrayBuffer(4))
    const workerData = { ...settings, giveUp }
    const start = () =>
      Thread.start<ReadonlyArray<Command>, ReadonlyArray<Outcome>>("./WriterThread.js", workerData)
    let thread = start()
    let isWriting = false
    let closed = false
    let onIdle = () => {}

    const flush = () => {
      if (isWriting) return
      if (waiting.size === 0) return onIdle()
      isWriting = true
      const batch = takeFirst(waiting, mostInABatch)
      const settle = (report: Exit.Exit<ReadonlyArray<Outcome>, StoreUnavailable>) => {
        isWriting = false
        const written = Exit.isSuccess(report) ? report.value.filter(isWritten).length : 0
        if (written > 0) onBatch(written)
        // The lock was not released in time, so the writes that wait fail, too, without a wait each.
        const isLocked = Exit.isSuccess(report) && report.value.every(isBusy)
        const settled = isLocked ? [...batch, ...takeFirst(waiting, waiting.size)] : batch
        settled.forEach((one, index) => {
          one.settle(Exit.flatMap(report, (outcomes) => exitOf(outcomes[index] ?? outcomes[0])))
        })
        flush()
      }
      try {
        // When a thread ends, the batch it had fails; the next one starts another thread.
        if (thread.hasEnded()) thread = start()
        const commands = batch.map((one) => one.command)
        thread.ask(commands, settle)
      } catch (error) {
        settle(Exit.fail(SqliteFailure.from(error)))
      }
    }

    // An empty batch is done as soon as the file is open.
    const opened = Effect.async<unknown, StoreUnavailable>((resume) => thread.ask([], resume))
    yield* Effect.acquireRelease(opened, () =>
      Effect.async<void>((resume) => {
        closed = true
        onIdle = () => resume(thread.close)
        flush()
        // No caller waits for results any more: stop waiting for other processes' locks.
        setTimeout(() => Atomics.store(giveUp, 0, 1), longestEnd).unref()
      })
    )

    return (command) =>
      Direct.async((settle) => {
        const one = { command, settle }
        if (closed) settle(Exit.fail(unavailable("down", "the store is closed")))
        else if (waiting.size >= mostWaiting) {
          settle(Exit.fail(unavailable("busy", `${waiting.size} writes are waiting already`)))
        } else {
          waiting.add(one)
          flush()
        }
        return () => void waiting.delete(one)
      })
  })

/** Removes the first of these, at most so many. */
const takeFirst = <A>(from: Set<A>, most: number): ReadonlyArray<A> => {
  const taken = Array.from(Iterable.take(from, most))
  for (const one of taken) from.delete(one)
  return taken
}

const unavailable = (reason: StoreUnavailable["reason"], message: string) =>
  new StoreUnavailable({ reason, cause: new Error(message) })

const isWritten = (outcome: Outcome): outcome is bigint => typeof outcome === "bigint"

const isBusy = (outcome: Outcome): boolean =>
  !isWritten(outcome) && outcome.code?.startsWith("SQLITE_BUSY") === true

const exitOf = (outcome: Outcome | undefined): Exit.Exit<bigint, StoreUnavailable> =>
  typeof outcome === "bigint"
    ? Exit.succeed(outcome)
    : Exit.fail(SqliteFailure.received(outcome ?? { message: "no answer", code: undefined }))
