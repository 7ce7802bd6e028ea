/** Reads that arrive in one turn of the event loop, made together: most of their cost is in the statements. */

import * as Direct from "@petstore/kernel/Direct"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Turn from "@petstore/kernel/Turn"
import type * as Arr from "effect/Array"
import * as Exit from "effect/Exit"

/** The most rows of a statement that is shared, so that none takes long over a slow network. */
export const maxRows = 1000

/** What to read, and whom to call back. */
export interface Read<What, A, E> {
  readonly what: What
  readonly settle: Direct.Callback<A, E>
  /** Whether its caller still waits for it. */
  readonly isWanted: () => boolean
}

/** Reads with this function at the end of the turn; what has the same key is read once, for all that asked for it. */
export const make = <What, A, E>(
  keyOf: (what: What) => unknown,
  read: (reads: ReadonlyArray<Read<What, A, E>>) => void
) => {
  const add = Turn.make<Read<What, A, E>>((added) => {
    const groups = new Map<unknown, Arr.NonEmptyArray<Read<What, A, E>>>()
    for (const one of added) {
      const key = keyOf(one.what)
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [one])
      else group.push(one)
    }
    read(
      Array.from(groups.values(), (group) => ({
        what: group[0].what,
        settle: (exit) => {
          for (const { settle } of group) settle(exit)
        },
        isWanted: () => group.some(({ isWanted }) => isWanted())
      }))
    )
  })
  return (what: What) =>
    Direct.async<A, E>((settle) => {
      let isWanted = true
      const takeBack = add({ what, settle, isWanted: () => isWanted })
      return () => {
        isWanted = false
        takeBack()
      }
    })
}

/** Whether a damaged row has failed a statement, so that each read needs one of its own. */
export const isDamaged = <A>(exit: Exit.Exit<A, StoreUnavailable>): boolean =>
  Direct.isFailureWith(exit, ({ reason }) => reason === "damaged")

/** Calls back with how a statement ended. */
export type Done = (exit: Exit.Exit<unknown, StoreUnavailable>) => void

/**
 * Runs reads of many long texts one at a time: other connections of the pool, and the processors of both sides, are for
 * reads that are soon done. Those whose callers have gone are not made.
 */
export const makeQueue = <What, A>() => {
  const waiting: Array<{
    readonly read: Read<What, A, StoreUnavailable>
    readonly start: (done: Done) => void
  }> = []
  let isRunning = false
  const next = () => {
    while (!isRunning) {
      const one = waiting.shift()
      if (one === undefined) return
      isRunning = one.read.isWanted()
      if (isRunning) one.start(done)
    }
  }
  const done: Done = (exit) => {
    isRunning = false
    // The others would wait as long, one after the other.
    if (Exit.isFailure(exit) && !isDamaged(exit)) {
      for (const { read } of waiting.splice(0)) read.settle(Exit.failCause(exit.cause))
    }
    next()
  }
  return (read: Read<What, A, StoreUnavailable>, start: (done: Done) => void) => {
    waiting.push({ read, start })
    next()
  }
}
