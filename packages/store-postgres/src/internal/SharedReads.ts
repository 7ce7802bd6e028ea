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
        }
      }))
    )
  })
  return (what: What) => Direct.async<A, E>((settle) => add({ what, settle }))
}

/** Whether a damaged row has failed a statement, so that each read needs one of its own. */
export const isDamaged = <A>(exit: Exit.Exit<A, StoreUnavailable>): boolean =>
  Direct.isFailureWith(exit, ({ reason }) => reason === "damaged")
