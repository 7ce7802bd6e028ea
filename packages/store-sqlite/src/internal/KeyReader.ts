/** Reads keys: all of them, or those that have changed. */
import type { KeyChanges } from "@petstore/access/ApiKeyStore"
import { type KeyRow, keysOf } from "@petstore/access/KeyRow"
import type { Database } from "better-sqlite3"
import * as Columns from "./Columns.ts"

/** Prepares every statement once. The functions throw SQLite's errors. */
export const make = (database: Database) => {
  // The schema's version tells a file that was set back: whatever restores into an open file raises it.
  const current = database
    .prepare<[], { readonly schema: number; readonly count: number; readonly removed: number }>(
      "SELECT schema_version AS schema, count, removed FROM pragma_schema_version, api_key_changes"
    )
    .safeIntegers(false)
  const select = (where: string) =>
    database
      .prepare<Array<number>, KeyRow>(
        `SELECT ${Columns.key} FROM api_keys ${where} ORDER BY created, id`
      )
      .raw()
      .safeIntegers(false)
  const every = select("")
  const changed = select("WHERE changed > ?")

  const all = () => keysOf(every.all())
  /** The changed keys; all of them if a key was removed since, or a changed row is not a valid key. */
  const changes = (version = ""): KeyChanges & Keys => {
    // Read first: a change that is committed meanwhile is read again next time. If there is no count,
    // every read returns all keys.
    const { count, removed, schema } = current.get() ?? { count: -1, removed: 0, schema: 0 }
    const [knownSchema, since = Number.NaN] = version.split(".").map(Number)
    const now = `${schema}.${count}`
    if (knownSchema === schema && since >= removed && since <= count) {
      const read = keysOf(changed.all(since))
      if (read.invalid.length === 0) return { version: now, ...read, isAll: false }
    }
    return { version: now, ...all(), isAll: true }
  }
  return { all, changes }
}

/** The keys, and the ids of rows that are not valid keys. */
export type Keys = ReturnType<typeof keysOf>
