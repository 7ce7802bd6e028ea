/** Reads that arrive in one turn of the event loop, made together: most of their cost is in the statements. */
import * as Direct from "@petstore/direct/Direct"
import * as Turn from "@petstore/direct/Turn"
import type * as Arr from "effect/Array"

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
  return (what: What) =>
    Direct.async<A, E>((settle) => {
      add({ what, settle })
      return () => {}
    })
}
