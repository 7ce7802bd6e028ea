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

/** One statement, so that the version and the keys belong together. Without keys there is one row, of the version. */
const changed = {
  name: "petstore_key_changes",
  text: `SELECT changes.count, changes.removed, ${Columns.of("api_keys", Columns.key)}
    FROM api_key_changes AS changes LEFT JOIN api_keys ON api_keys.changed >
      CASE WHEN $1::bigint BETWEEN changes.removed AND changes.count THEN $1::bigint ELSE -1 END`
}
type ChangedRow = [count: bigint, removed: bigint, ...(KeyRow | Array<null>)]

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
  const changes = (since: number | undefined): Effect.Effect<KeyChanges, StoreUnavailable> =>
    Effect.gen(function* () {
      const rows = yield* query<ChangedRow>(changed, since)
      const [first] = rows
      if (first === undefined) return yield* noVersion
      const version = Number(first[0])
      const isAll = since === undefined || since < first[1] || since > version
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
