/** Writes in batches: what arrives while one batch is committed goes into the next. */
import * as Direct from "@petstore/direct/Direct"
import { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as PostgresFailure from "./PostgresFailure.ts"

/** How to commit, and how much may wait for how long. */
export interface Options<A, B> {
  /** Commits all of these or none, and calls back with the result of each, in their order. */
  readonly commit: (
    batch: ReadonlyArray<A>,
    callback: Direct.Callback<ReadonlyArray<B>, StoreUnavailable>
  ) => void
  /** Whether a batch that failed like this is tried again one by one, since some of it may succeed. */
  readonly isPartial: (failure: StoreUnavailable) => boolean
  /** How long each may wait for its batch, in milliseconds. */
  readonly patience: number
  /** The size of each, in characters; 0 by default. */
  readonly sizeOf?: (value: A) => number
  /** How many may wait; 10,000 by default. Any more are refused as busy. */
  readonly mostWaiting?: number
  /** Told how many were committed together. */
  readonly onBatch?: ((size: number) => void) | undefined
}

interface Waiting<A, B> {
  readonly value: A
  readonly settle: Direct.Callback<B, StoreUnavailable>
}

type Failed = Exit.Exit<never, StoreUnavailable> | undefined

const mostInABatch = 256
/** What a statement can send in time, also over a slow network. */
const mostCharacters = 1024 * 1024
/**
 * How long the next batch waits after one of several writes, in milliseconds. Callers that write again as soon as they
 * are answered arrive meanwhile; otherwise they would wait for the whole next batch, and batches would be half as large.
 */
const pause = 1

/** Starts a queue. When the scope closes, what was accepted is committed first. */
export const make = <A, B>({
  commit,
  isPartial,
  mostWaiting = 10_000,
  onBatch = () => {},
  patience,
  sizeOf = () => 0
}: Options<A, B>): Effect.Effect<
  (value: A) => Effect.Effect<B, StoreUnavailable>,
  never,
  Scope.Scope
> =>
  Effect.gen(function* () {
    // In order of arrival. A set, so that what is interrupted leaves at once.
    const waiting = new Set<Waiting<A, B>>()
    let isWriting = false
    let closed = false
    let onIdle = () => {}

    /** Removes the first of those that wait, as many as fit in a batch, and at least one. */
    const takeBatch = () => {
      const batch: Array<Waiting<A, B>> = []
      let size = 0
      for (const one of waiting) {
        size += sizeOf(one.value)
        if (batch.length > 0 && (batch.length === mostInABatch || size > mostCharacters)) break
        batch.push(one)
      }
      for (const one of batch) waiting.delete(one)
      return batch
    }

    /** Commits a batch, settles each of it, and calls back with its failure. */
    const write = (batch: ReadonlyArray<Waiting<A, B>>, callback: (failed: Failed) => void): void =>
      commit(
        batch.map(({ value }) => value),
        (exit) => {
          if (Exit.isSuccess(exit)) {
            onBatch(batch.length)
            for (const [nth, value] of exit.value.entries()) batch[nth]?.settle(Exit.succeed(value))
            callback(undefined)
          } else if (batch.length > 1 && PostgresFailure.isFailureWith(exit, isPartial)) {
            oneByOne(batch, callback)
          } else {
            const failed = Exit.failCause(exit.cause)
            for (const { settle } of batch) settle(failed)
            callback(failed)
          }
        }
      )
    const oneByOne = (
      [first, ...others]: ReadonlyArray<Waiting<A, B>>,
      callback: (failed: Failed) => void
    ): void => {
      if (first === undefined) callback(undefined)
      else write([first], () => oneByOne(others, callback))
    }

    const flush = () => {
      if (isWriting) return
      if (waiting.size === 0) return onIdle()
      isWriting = true
      const batch = takeBatch()
      write(batch, (failed) => {
        // When a lock was not released in time or no connection was free, those that wait fail, too, without
        // a wait each. A store that is closing tries no longer than it must.
        const isOver = ({ reason }: StoreUnavailable) => closed || reason === "busy"
        if (failed !== undefined && PostgresFailure.isFailureWith(failed, isOver)) {
          const others = [...waiting]
          waiting.clear()
          for (const { settle } of others) settle(failed)
        }
        if (batch.length > 1 && batch.length < mostInABatch) setTimeout(next, pause)
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

    return (value) =>
      Direct.async((callback) => {
        if (closed) callback(unavailable("down", "the store is closed"))
        else if (waiting.size >= mostWaiting) {
          callback(unavailable("busy", `${waiting.size} writes are waiting already`))
        } else {
          const giveUp = () => {
            // One that is in a batch already waits for that.
            if (waiting.delete(one)) callback(unavailable("busy", "earlier writes take too long"))
          }
          const timer = setTimeout(giveUp, patience)
          const settle: Waiting<A, B>["settle"] = (exit) => {
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
        }
        return () => {}
      })
  })

const unavailable = (reason: StoreUnavailable["reason"], message: string) =>
  Exit.fail(new StoreUnavailable({ reason, cause: new Error(message) }))
