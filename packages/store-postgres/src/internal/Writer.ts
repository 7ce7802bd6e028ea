/** Adds pets in batches, with ids that become visible in order. One whose key was used gets the pet of the first. */

import type { Added, Idempotency } from "@petstore/domain/Idempotency"
import { type NewPet, type Pet, PetId, petOf } from "@petstore/domain/Pet"
import * as Batches from "@petstore/kernel/Batches"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { pet as columns } from "@petstore/store-sql/Columns"
import { fromRow, type PetRow } from "@petstore/store-sql/PetRow"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import type { ConnectionPool } from "./ConnectionPool.ts"
import * as PostgresFailure from "./PostgresFailure.ts"
import { arrays, arraysOf, columnsIn } from "./Statement.ts"

/** A pet to add, perhaps with a key. */
interface Addition {
  readonly pet: NewPet
  readonly once?: Idempotency
}

/** Adds a pet, unless its key was used. Succeeds once that is committed. */
export type Add = (addition: Addition) => Effect.Effect<Added, StoreUnavailable>

/** One statement, so one round trip. The lock of the row of `pet_ids` is held until it is committed. */
const addPets = {
  name: "petstore_add",
  text: `WITH
    ids AS (UPDATE pet_ids SET last = last + $1::bigint RETURNING last),
    added AS (
      INSERT INTO pets (id, ${columns})
      SELECT ids.last - $1::bigint + new.nth, ${columnsIn("new", columns)}
      FROM ids, unnest(${arrays(2)}) WITH ORDINALITY AS new (${columns}, nth)
    )
    SELECT last FROM ids`
}

/**
 * As `addPets`, for pets with or without keys. Returns those whose keys were used before, without a lock if there are no
 * others. A key that another server adds meanwhile is a conflict. Each new pet removes up to two expired keys.
 *
 * The condition on `nth`, which all meet, lets PostgreSQL expect one pet: otherwise it would make a plan for each number of
 * pets. A plan for a small table may search all of it, so there is a new one once the table is four times as large.
 */
const addPetsOnce = (tableBytes: bigint) => ({
  name: `petstore_add_once_${tableBytes.toString(4).length}`,
  text: `WITH
    asked AS (
      SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], ${arrays(4)})
        WITH ORDINALITY AS asked (key, at, expired_up_to, ${columns}, nth)
      WHERE nth BETWEEN 1 AND 1000
    ),
    known AS (
      SELECT key, ${columnsIn("pets", `id, ${columns}`)}
      FROM asked JOIN idempotency_keys AS used USING (key) JOIN pets ON pets.id = pet_id
      WHERE used.at > expired_up_to
    ),
    unknown AS (
      SELECT * FROM asked WHERE NOT EXISTS (SELECT FROM known WHERE known.key = asked.key)
    ),
    ids AS (
      UPDATE pet_ids SET last = last + (SELECT count(*) FROM unknown)
      WHERE one AND EXISTS (SELECT FROM unknown) RETURNING last
    ),
    new AS (
      SELECT last + 1 - row_number() OVER (ORDER BY nth DESC) AS id, unknown.* FROM ids, unknown
    ),
    added AS (INSERT INTO pets (id, ${columns}) SELECT id, ${columns} FROM new),
    expired AS (
      SELECT key FROM idempotency_keys WHERE at <= (SELECT min(expired_up_to) FROM new)
      ORDER BY at LIMIT 2 * (SELECT count(*) FROM new) FOR UPDATE SKIP LOCKED
    ),
    forgotten AS (
      DELETE FROM idempotency_keys
      WHERE key = ANY (ARRAY(SELECT key FROM new UNION ALL SELECT key FROM expired)) RETURNING key
    ),
    kept AS (
      INSERT INTO idempotency_keys (key, pet_id, at)
      SELECT key, id, at FROM new
      -- After those with the same key are removed.
      WHERE key IS NOT NULL AND (SELECT count(*) FROM forgotten) >= 0
    )
    SELECT (SELECT last FROM ids), size, known.*
    FROM pg_relation_size('idempotency_keys') AS size LEFT JOIN known ON TRUE`
})

/** The last new id, null if there is none. With keys also the size of their table, and each that was used, with its pet. */
type Row = readonly [
  last: bigint | null,
  tableBytes: bigint | undefined,
  key: string | null | undefined,
  ...PetRow
]

/** Starts a queue of pets to add. When the scope closes, those that were accepted are added first. */
export const make = (
  { patience, send }: Pick<ConnectionPool, "patience" | "send">,
  onBatch?: (size: number) => void
): Effect.Effect<Add, never, Scope.Scope> => {
  let tableBytes = 0n
  return Batches.make<Addition, Added>({
    commit: (additions, callback) => {
      const keys = new Set<string>()
      // The first with each key, and all without one.
      const sent = additions.filter(({ once }) => !once || keys.size < keys.add(once.key).size)
      const [statement, values] =
        keys.size === 0
          ? [addPets, [sent.length]]
          : [addPetsOnce(tableBytes), usesOf(sent.map(({ once }) => once))]
      send<Row>(statement, [...values, ...arraysOf(sent.map(({ pet }) => pet))], (exit) => {
        if (Exit.isSuccess(exit)) tableBytes = exit.value[0]?.[1] ?? tableBytes
        callback(
          Exit.flatMap(exit, (rows) =>
            PostgresFailure.attempt(() => addedOf(additions, sent.length, rows))
          )
        )
      })
    },
    // There may be ids for some of the pets when there are not for all.
    isPartial: PostgresFailure.isNoIdLeft,
    patience,
    pause: 1,
    onBatch
  })
}

/** The key of each, when it is used, and up to when it has expired if it was. */
const usesOf = (uses: ReadonlyArray<Idempotency | undefined>): ReadonlyArray<unknown> => [
  uses.map((use) => use?.key),
  uses.map((use) => use?.at),
  uses.map((use) => use?.expiredUpTo)
]

/** The result of each, when this many were sent. Throws if they got no ids. */
const addedOf = (
  additions: ReadonlyArray<Addition>,
  sent: number,
  rows: ReadonlyArray<Row>
): ReadonlyArray<Added> => {
  const pets = new Map<string, Pet>()
  for (const [, , key, ...row] of rows) if (Predicate.isString(key)) pets.set(key, fromRow(row))
  const count = sent - pets.size
  const last = rows[0]?.[0]
  if (Predicate.isNullable(last) && count > 0) {
    throw PostgresFailure.make("damaged", "the table pet_ids has no row")
  }
  let id = (last ?? 0n) - BigInt(count)
  return additions.map(({ once, pet: newPet }) => {
    const first = once && pets.get(once.key)
    if (first) return { pet: first, isRepeat: true }
    const pet = petOf(PetId.make(++id, true), newPet)
    if (once) pets.set(once.key, pet)
    return { pet, isRepeat: false }
  })
}
