/** Inserts of pets with idempotency keys: one whose key was used gets the pet of the first. */

import type { Added, Idempotency } from "@petstore/domain/Idempotency"
import { type NewPet, type Pet, PetId, petOf } from "@petstore/domain/Pet"
import type * as Batches from "@petstore/kernel/Batches"
import * as Direct from "@petstore/kernel/Direct"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { pet as columns } from "@petstore/store-sql/Columns"
import { fromRow, type PetRow } from "@petstore/store-sql/PetRow"
import * as Exit from "effect/Exit"
import { maxRetries, type Send } from "./ConnectionPool.ts"
import * as PostgresFailure from "./PostgresFailure.ts"
import { columnsIn } from "./Statement.ts"

/** A pet to add, perhaps with a key. */
export interface Addition {
  readonly pet: NewPet
  readonly once?: Idempotency
}

/** Adds all of these or none, and calls back with their ids. Fails if one of their keys was used. */
export type Insert = Batches.Options<Addition, bigint>["commit"]

/** Adds these or finds those whose keys were used, all or none, and calls back with their pets. */
type Commit = Batches.Options<Addition, Added>["commit"]

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

/** Wraps `insert`: an addition whose key was used gets the pet of the first. */
export const make = (send: Send, insert: Insert): Commit => {
  const attempt = (
    additions: ReadonlyArray<Addition>,
    callback: Parameters<Commit>[1],
    known: ReadonlyMap<string, Pet>,
    tries: number
  ): void => {
    // The first with each key, unless that is known, and all without one.
    const seen = new Set(known.keys())
    const isFirst = additions.map(
      ({ once }) => once === undefined || seen.size < seen.add(once.key).size
    )
    const firsts = additions.filter((_, nth) => isFirst[nth])
    const answer: Parameters<Insert>[1] = (exit) =>
      callback(Exit.map(exit, (ids) => resultsOf(additions, isFirst, known, ids)))
    if (firsts.length === 0) answer(Exit.succeed([]))
    else
      insert(firsts, (exit) => {
        const isUsed = Direct.isFailureWith(exit, PostgresFailure.isKeyUsed)
        // Those whose keys were used need no id, so they succeed though none is left.
        const isFull = Direct.isFailureWith(exit, PostgresFailure.isNoIdLeft)
        if (tries === maxRetries || !(isUsed || isFull)) return answer(exit)
        find(send, firsts, (found) => {
          if (Exit.isFailure(found)) callback(Exit.failCause(found.cause))
          else if (isFull && found.value.size === 0) answer(exit)
          else attempt(additions, callback, new Map([...known, ...found.value]), tries + 1)
        })
      })
  }
  return (additions, callback) => attempt(additions, callback, new Map(), 0)
}

/** Calls back with the pets that were added with the keys of these, by key. */
const find = (
  send: Send,
  additions: ReadonlyArray<Addition>,
  callback: Direct.Callback<ReadonlyMap<string, Pet>, StoreUnavailable>
): void => {
  const asked = additions.flatMap(({ once }) => once ?? [])
  const values = [asked.map(({ key }) => key), asked.map(({ expiredUpTo }) => expiredUpTo)]
  send<readonly [key: string, ...PetRow]>(findPets, values, (exit) =>
    callback(
      Exit.flatMap(exit, (rows) =>
        PostgresFailure.attempt(() => new Map(rows.map(([key, ...row]) => [key, fromRow(row)])))
      )
    )
  )
}

const resultsOf = (
  additions: ReadonlyArray<Addition>,
  isFirst: ReadonlyArray<boolean>,
  known: ReadonlyMap<string, Pet>,
  ids: ReadonlyArray<bigint>
): ReadonlyArray<Added> => {
  const byKey = new Map(known)
  let inserted = 0
  return additions.flatMap(({ once, pet: newPet }, nth) => {
    const first = isFirst[nth] && petOf(PetId.make(ids[inserted++] ?? 0n, true), newPet)
    if (first && once !== undefined) byKey.set(once.key, first)
    // The first with its key is before it.
    const pet = first || byKey.get(once?.key ?? "")
    return pet ? [{ pet, isRepeat: !first }] : []
  })
}
