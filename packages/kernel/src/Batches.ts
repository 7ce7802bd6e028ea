/** Writes in batches: what arrives while one batch is committed goes into the next. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Direct from "./Direct.ts"
import { StoreUnavailable } from "./StoreUnavailable.ts"

/** Receives what became of a write. */
export type Settle<B> = Direct.Callback<B, StoreUnavailable>

/** How to commit, and how much may wait for how long. */
export interface Options<A, B> {
  /** Commits all of these or none, and calls back with the result of each, in their order. */
  readonly commit: (batch: ReadonlyArray<A>, callback: Settle<ReadonlyArray<B>>) => void
  /** Whether a batch that failed like this is tried again one by one, since some of it may succeed. */
  readonly isPartial: (failure: StoreUnavailable) => boolean
  /** How long each may wait for its batch, in milliseconds; no limit by default. */
  readonly patience?: number
  /**
   * How long the next batch waits after one of several writes, in milliseconds. Callers that write again as soon as they
   * are answered arrive meanwhile; otherwise they would wait for the whole next batch, and batches would be half as large.
   */
  readonly pause?: number
  /** Called with the number of writes that were committed together. */
  readonly onBatch?: ((size: number) => void) | undefined
}

interface Waiting<A, B> {
  readonly value: A
  readonly settle: Settle<B>
}

const maxInABatch = 256

/** How many may wait. Any more are refused as busy. */
const maxWaiting = 10_000

/** Starts a queue. When the scope closes, what was accepted is committed first. */
export const make = <A, B>({
  commit,
  isPartial,
  onBatch = () => {},
  patience,
  pause
}: Options<A, B>) =>
  Effect.gen(function* () {
    type Batch = ReadonlyArray<Waiting<A, B>>
    type Failed = Exit.Exit<never, StoreUnavailable> | undefined
    // In order of arrival. A set, so that what is interrupted leaves at once. A new one per batch: V8's old tables keep a
    // reused set's entries alive (docs/decisions/0005-speed.md).
    let waiting = new Set<Waiting<A, B>>()
    let isWriting = false
    let closed = false
    let onIdle = () => {}

    /** Removes the first of those that wait, as many as fit in a batch. */
    const takeBatch = () => {
      const all = [...waiting]
      waiting = new Set(all.slice(maxInABatch))
      return all.slice(0, maxInABatch)
    }

    /** Commits a batch, settles each entry, and calls back with its failure. */
    const write = (batch: Batch, callback: (failed: Failed) => void): void =>
      commit(
        batch.map(({ value }) => value),
        (exit) => {
          if (Exit.isSuccess(exit)) {
            onBatch(batch.length)
            for (const [nth, value] of exit.value.entries()) batch[nth]?.settle(Exit.succeed(value))
            callback(undefined)
          } else if (batch.length > 1 && Direct.isFailureWith(exit, isPartial)) {
            oneByOne(batch, callback)
          } else {
            const failed = Exit.failCause(exit.cause)
            for (const { settle } of batch) settle(failed)
            callback(failed)
          }
        }
      )
    const oneByOne = ([first, ...others]: Batch, callback: (failed: Failed) => void): void => {
      if (first === undefined) callback(undefined)
      else
        write([first], (failed) => {
          // Only such a failure concerns that write alone.
          if (failed === undefined || Direct.isFailureWith(failed, isPartial)) {
            return oneByOne(others, callback)
          }
          for (const { settle } of others) settle(failed)
          callback(failed)
        })
    }

    const flush = () => {
      if (isWriting) return
      if (waiting.size === 0) return onIdle()
      isWriting = true
      const batch = takeBatch()
      write(batch, (failed) => {
        // A lock was not released in time: those that wait do not wait for it each. A queue that is closing tries no
        // longer than it must.
        const isOver = ({ reason }: StoreUnavailable) => closed || reason === "busy"
        if (failed !== undefined && Direct.isFailureWith(failed, isOver)) {
          const others = [...waiting]
          waiting.clear()
          for (const { settle } of others) settle(failed)
        }
        if (pause && batch.length > 1 && batch.length < maxInABatch) setTimeout(next, pause)
        else next()
      })
    }
    const next = () => {
      isWriting = false
      flush()
    }

    yield* Effect.addFinalizer(() =>
      Effect.async<void>((resume) => {
        closed = true
        onIdle = () => resume(Effect.void)
        flush()
      })
    )

    return (value: A) =>
      Direct.async<B, StoreUnavailable>((callback) => {
        const giveUp = (reason: "busy" | "down", message: string) => {
          callback(Exit.fail(new StoreUnavailable({ reason, cause: new Error(message) })))
          return () => {}
        }
        if (closed) return giveUp("down", "the store is closed")
        if (waiting.size >= maxWaiting)
          return giveUp("busy", `${waiting.size} writes are waiting already`)
        const timer =
          patience &&
          setTimeout(() => {
            // One that is in a batch already waits for that.
            if (waiting.delete(one)) giveUp("busy", "earlier writes take too long")
          }, patience)
        const settle: Settle<B> = (exit) => {
          clearTimeout(timer)
          callback(exit)
        }
        const one = { value, settle }
        waiting.add(one)
        flush()
        return () => {
          clearTimeout(timer)
          waiting.delete(one)
        }
      })
  })
