/** Reads keys: all of them, or those that have changed. */
import type { KeyChanges } from "@petstore/access/ApiKeyStore"
import type { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Columns from "./Columns.ts"
import type { Query } from "./Database.ts"
import { type KeyRow, keyOf } from "./KeyRow.ts"
import * as PostgresFailure from "./PostgresFailure.ts"

const list = {
  name: "petstore_keys",
  text: `SELECT ${Columns.key} FROM api_keys ORDER BY created, id`
}

/** The changes whose ids the database has. A server that missed more reads all keys again. */
export const mostVersions = 32

/**
 * One statement, so that the version and the keys belong together. Without keys there is one row, of the version. A
 * version is the number of a change and its id; it is known if the change of that number still has that id,
 * which is empty for a change by hand.
 */
const changed = {
  name: "petstore_key_changes",
  text: `SELECT current.version, current.is_known, ${Columns.of("api_keys", Columns.key)}
    FROM (
      SELECT concat(count, '.', versions ->> count::text) AS version,
        coalesce($1::bigint BETWEEN GREATEST(removed, count - ${mostVersions} + 1) AND count
          AND coalesce(versions ->> $1::text, '') = $2::text, FALSE) AS is_known
      FROM api_key_changes
    ) AS current
    LEFT JOIN api_keys ON api_keys.changed > CASE WHEN current.is_known THEN $1::bigint ELSE -1 END`
}
type ChangedRow = [version: string, isKnown: boolean, ...(KeyRow | Array<null>)]

/** Every key, and the ids of rows that are not valid keys. */
export const all = (query: Query) =>
  Effect.map(query<KeyRow>(list), (rows) => {
    const [invalid, keys] = Arr.partitionMap(rows, keyOf)
    return { invalid, keys }
  })

/** Reads with this function; warns once about each row that is not a valid key. */
export const make = (query: Query) => {
  const warned = new Set<string>()
  const keysOf = (rows: ReadonlyArray<KeyRow>) =>
    Effect.gen(function* () {
      const [invalid, keys] = Arr.partitionMap(rows, keyOf)
      const news = invalid.filter((id) => !warned.has(id))
      for (const id of news) warned.add(id)
      if (news.length > 0) yield* Effect.logWarning(`ignoring invalid keys: ${news.join(", ")}`)
      return { keys, isValid: invalid.length === 0 }
    })

  /** The changed keys; all of them if keys were removed since, or a changed row is not a valid key. */
  const changes = (since: string | undefined): Effect.Effect<KeyChanges, StoreUnavailable> =>
    Effect.gen(function* () {
      const [, count, id] = /^(\d{1,18})\.(\w*)$/.exec(since ?? "") ?? []
      const rows = yield* query<ChangedRow>(changed, count, id)
      const [first] = rows
      if (first === undefined) return yield* noVersion
      const version = first[0]
      const isAll = !first[1]
      const { isValid, keys } = yield* keysOf(
        rows.flatMap(([, , ...row]) => (isKeyRow(row) ? [row] : []))
      )
      return isAll || isValid ? { version, keys, isAll } : yield* changes(undefined)
    })

  return {
    list: Effect.map(Effect.flatMap(query<KeyRow>(list), keysOf), ({ keys }) => keys),
    changes
  }
}

const isKeyRow = (row: KeyRow | Array<null>): row is KeyRow => row[0] !== null

const noVersion = PostgresFailure.damaged("the table api_key_changes has no row")
