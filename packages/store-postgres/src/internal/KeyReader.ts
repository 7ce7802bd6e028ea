/** Reads keys: all of them, or those that have changed. */
import type { KeyChanges } from "@petstore/access/ApiKeyStore"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { key as columns } from "@petstore/store-sql/Columns"
import * as KeyRow from "@petstore/store-sql/KeyRow"
import * as Effect from "effect/Effect"
import type { Query } from "./ConnectionPool.ts"
import * as PostgresFailure from "./PostgresFailure.ts"
import { columnsIn } from "./Statement.ts"

const list = {
  name: "petstore_keys",
  text: `SELECT ${columns} FROM api_keys ORDER BY created, id`
}

/** The changes whose ids the database has. A server that missed more reads all keys again. */
export const maxVersions = 32

/**
 * One statement, so that the version and the keys belong together. Without keys there is one row, of the version. A
 * version is the number of a change and its id; it is known if the change of that number still has that id,
 * which is empty for a change by hand.
 */
const changed = {
  name: "petstore_key_changes",
  text: `SELECT current.version, current.is_known, ${columnsIn("api_keys", columns)}
    FROM (
      SELECT concat(count, '.', versions ->> count::text) AS version,
        coalesce($1::bigint BETWEEN GREATEST(removed, count - ${maxVersions} + 1) AND count
          AND coalesce(versions ->> $1::text, '') = $2::text, FALSE) AS is_known
      FROM api_key_changes
    ) AS current
    LEFT JOIN api_keys ON api_keys.changed > CASE WHEN current.is_known THEN $1::bigint ELSE -1 END`
}
type ChangedRow = readonly [version: string, isKnown: boolean, ...KeyRow.KeyRow]

/** Every key, and the ids of rows that are not valid keys. */
export const all = (query: Query) => Effect.map(query<KeyRow.KeyRow>(list), KeyRow.keysOf)

/** Reads with this function; warns once about each row that is not a valid key. */
export const make = (query: Query) => {
  const warn = KeyRow.makeWarning()
  const warned = (read: ReturnType<typeof KeyRow.keysOf>) => Effect.as(warn(read.invalid), read)

  /** The changed keys; all of them if keys were removed since, or a changed row is not a valid key. */
  const changes = (since: string | undefined): Effect.Effect<KeyChanges, StoreUnavailable> =>
    Effect.gen(function* () {
      const [, count, id] = /^(\d{1,18})\.(\w*)$/.exec(since ?? "") ?? []
      const rows = yield* query<ChangedRow>(changed, count, id)
      const [first] = rows
      if (first === undefined) return yield* noVersion
      const [version, isKnown] = first
      const found = rows.map(([, , ...row]) => row).filter((row) => row[0] !== null)
      const { invalid, keys } = yield* warned(KeyRow.keysOf(found))
      return isKnown && invalid.length > 0
        ? yield* changes(undefined)
        : { version, keys, isAll: !isKnown }
    })

  return { list: Effect.map(Effect.flatMap(all(query), warned), ({ keys }) => keys), changes }
}

/** The row with the version of all keys is missing. */
export const noVersion = PostgresFailure.make("damaged", "the table api_key_changes has no row")
