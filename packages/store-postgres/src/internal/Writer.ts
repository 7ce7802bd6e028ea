/** Adds pets in batches, with ids that become visible in order. */

import type { Added } from "@petstore/domain/Idempotency"
import * as Batches from "@petstore/kernel/Batches"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { pet as columns } from "@petstore/store-sql/Columns"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import type { ConnectionPool } from "./ConnectionPool.ts"
import * as IdempotentInserts from "./IdempotentInserts.ts"
import { type Addition, type Insert, isPlain } from "./IdempotentInserts.ts"
import * as PostgresFailure from "./PostgresFailure.ts"
import { arrays, arraysOf, columnsIn } from "./Statement.ts"

/** Adds a pet, unless its key was used. Succeeds once that is committed. */
export type Add = (addition: Addition) => Effect.Effect<Added, StoreUnavailable>

/** The lock of the row of `pet_ids` is held until the statement is committed. */
const ids = "ids AS (UPDATE pet_ids SET last = last + $1::bigint RETURNING last)"

/** One statement, so one round trip. */
const addPets = {
  name: "petstore_add",
  text: `WITH
    ${ids},
    added AS (
      INSERT INTO pets (id, ${columns})
      SELECT ids.last - $1::bigint + new.nth, ${columnsIn("new", columns)}
      FROM ids, unnest(${arrays(2)}) WITH ORDINALITY AS new (${columns}, nth)
    )
    SELECT last FROM ids`
}

/** As `addPets`, for pets with or without keys. Fails if a key was used. Each key removes up to two expired ones. */
const addPetsOnce = {
  name: "petstore_add_once",
  text: `WITH
    ${ids},
    new AS (
      SELECT ids.last - $1::bigint + nth AS id, key, at, ${columnsIn("new", columns)}
      FROM ids, unnest($2::text[], $3::bigint[], ${arrays(5)})
        WITH ORDINALITY AS new (key, at, ${columns}, nth)
    ),
    added AS (INSERT INTO pets (id, ${columns}) SELECT id, ${columns} FROM new),
    kept AS (
      INSERT INTO idempotency_keys (key, pet_id, at)
      SELECT key, id, at FROM new WHERE key IS NOT NULL
    ),
    forgotten AS (
      DELETE FROM idempotency_keys WHERE key IN (
        SELECT key FROM idempotency_keys WHERE at <= $4::bigint
        ORDER BY at LIMIT 2 * $1::bigint FOR UPDATE SKIP LOCKED
      )
    )
    SELECT last FROM ids`
}

/** Starts a queue of pets to add. When the scope closes, those that were accepted are added first. */
export const make = (
  { patience, send }: Pick<ConnectionPool, "patience" | "send">,
  onBatch?: (size: number) => void
): Effect.Effect<Add, never, Scope.Scope> => {
  const insert: Insert = (additions, callback) => {
    const [statement, keys] = additions.every(isPlain)
      ? [addPets, []]
      : [addPetsOnce, keysOf(additions)]
    const values = [additions.length, ...keys, ...arraysOf(additions.map(({ pet }) => pet))]
    send<[last: bigint]>(statement, values, (exit) =>
      callback(Exit.flatMap(exit, ([row]) => idsOf(row?.[0], additions.length)))
    )
  }
  return Batches.make({
    commit: IdempotentInserts.make(send, insert),
    // There may be ids for some of the pets when there are not for all.
    isPartial: PostgresFailure.isNoIdLeft,
    patience,
    pause: 1,
    onBatch
  })
}

/** The key of each, when it is used, and up to when used keys have expired. */
const keysOf = (additions: ReadonlyArray<Addition>): ReadonlyArray<unknown> => {
  const uses = additions.map(({ once }) => once)
  const expired = uses.filter(Predicate.isNotUndefined).map(({ expiredUpTo }) => expiredUpTo)
  return [uses.map((use) => use?.key), uses.map((use) => use?.at), Math.min(...expired)]
}

/** This many ids, up to the last. */
const idsOf = (
  last: bigint | undefined,
  count: number
): Exit.Exit<ReadonlyArray<bigint>, StoreUnavailable> =>
  last === undefined
    ? Exit.fail(PostgresFailure.make("damaged", "the table pet_ids has no row"))
    : Exit.succeed(Array.from({ length: count }, (_, nth) => last - BigInt(count - 1 - nth)))
