/** Inserts of pets with idempotency keys: one whose key was used gets the pet of the first. */
import * as Direct from "@petstore/direct/Direct"
import * as Idempotency from "@petstore/domain/Idempotency"
import {
  columns,
  fromRow,
  isSame,
  type NewPet,
  type Pet,
  PetId,
  petOf,
  type Row
} from "@petstore/domain/Pet"
import type { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import * as Exit from "effect/Exit"
import { maxRetries, type Send } from "./ConnectionPool.ts"
import * as PostgresFailure from "./PostgresFailure.ts"
import { columnsIn } from "./Statement.ts"

/** A pet to add, perhaps with a key. */
export interface Addition {
  readonly pet: NewPet
  readonly once?: Idempotency.Idempotency
}

/** Adds all of these or none, and calls back with their ids. Fails if one of their keys was used. */
export type Insert = (
  additions: ReadonlyArray<Addition>,
  callback: Direct.Callback<ReadonlyArray<bigint>, StoreUnavailable>
) => void

/** Whether an addition has no key. */
export const isPlain = ({ once }: Addition): boolean => once === undefined

/** The pets that were added with these keys. Removes those of the keys that have expired, or whose pets are gone. */
const findPets = {
  name: "petstore_find_once",
  text: `WITH
    asked AS (SELECT * FROM unnest($1::text[], $2::bigint[]) AS asked (key, expired_up_to)),
    known AS (
      SELECT key, ${columnsIn("pets", `id, ${columns}`)}
      FROM asked JOIN idempotency_keys USING (key) JOIN pets ON pets.id = pet_id
      WHERE at > expired_up_to
    ),
    forgotten AS (
      DELETE FROM idempotency_keys
      WHERE key IN (SELECT key FROM asked EXCEPT SELECT key FROM known)
    )
    SELECT * FROM known`
}

/** Wraps `insert`: an addition whose key was used gets a number for `Numbering.outcomeOf`. */
export const make = (send: Send, insert: Insert): Insert => {
  const attempt = (
    additions: ReadonlyArray<Addition>,
    callback: Parameters<Insert>[1],
    known: ReadonlyMap<string, Pet>,
    tries: number
  ): void => {
    // The first with each key, unless that is known, and all without one.
    const seen = new Set(known.keys())
    const firsts = additions.filter(
      ({ once }) => once === undefined || seen.size < seen.add(once.key).size
    )
    const answer: Parameters<Insert>[1] = (exit) =>
      callback(Exit.map(exit, (ids) => resultsOf(additions, known, firsts, ids)))
    if (firsts.length === 0) answer(Exit.succeed([]))
    else
      insert(firsts, (exit) => {
        const isUsed = Direct.isFailureWith(exit, PostgresFailure.isKeyUsed)
        // Those whose keys were used need no id, so they succeed though none is left.
        const isFull = Direct.isFailureWith(exit, PostgresFailure.isOverflow)
        if (tries === maxRetries || !(isUsed || isFull)) return answer(exit)
        find(send, firsts, (found) => {
          if (Exit.isFailure(found)) callback(Exit.failCause(found.cause))
          else if (isFull && found.value.size === 0) answer(exit)
          else attempt(additions, callback, new Map([...known, ...found.value]), tries + 1)
        })
      })
  }
  return (additions, callback) => {
    if (additions.every(isPlain)) insert(additions, callback)
    else attempt(additions, callback, new Map(), 0)
  }
}

/** Calls back with the pets that were added with the keys of these, by key. */
const find = (
  send: Send,
  additions: ReadonlyArray<Addition>,
  callback: Direct.Callback<ReadonlyMap<string, Pet>, StoreUnavailable>
): void => {
  const asked = additions.flatMap(({ once }) => once ?? [])
  const values = [asked.map(({ key }) => key), asked.map(({ at }) => Idempotency.expiredUpTo(at))]
  send<readonly [key: string, ...Row]>(findPets, values, (exit) =>
    callback(
      Exit.flatMap(exit, (rows) =>
        PostgresFailure.attempt(() => new Map(rows.map(([key, ...row]) => [key, fromRow(row)])))
      )
    )
  )
}

const resultsOf = (
  additions: ReadonlyArray<Addition>,
  known: ReadonlyMap<string, Pet>,
  added: ReadonlyArray<Addition>,
  ids: ReadonlyArray<bigint>
): ReadonlyArray<bigint> => {
  const byKey = new Map(known)
  const idOf = new Map(added.map((addition, nth) => [addition, ids[nth] ?? 0n]))
  for (const [{ once, pet }, id] of idOf) {
    if (once !== undefined) byKey.set(once.key, petOf(PetId.make(id, true), pet))
  }
  return additions.map((addition) => {
    const first = byKey.get(addition.once?.key ?? "")
    const repeated = first !== undefined && isSame(first, addition.pet) ? -first.id : 0n
    return idOf.get(addition) ?? repeated
  })
}
