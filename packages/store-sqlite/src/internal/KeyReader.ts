/** Reads keys: all of them, or those that have changed. */
import type { ApiKey } from "@petstore/access/ApiKey"
import type { KeyChanges } from "@petstore/access/ApiKeyStore"
import type { Database } from "better-sqlite3"
import * as Option from "effect/Option"
import * as Columns from "./Columns.ts"
import { type KeyRow, keyOf } from "./KeyRow.ts"

/** The keys that were read. */
export interface Keys {
  /** The keys, the oldest first. */
  readonly keys: ReadonlyArray<ApiKey>
  /** The ids of rows that are not valid keys. */
  readonly invalid: ReadonlyArray<string>
}

interface Version {
  readonly count: number
  readonly removed: number
}

/** Prepares every statement once. The functions throw SQLite's errors. */
export const make = (database: Database) => {
  const version = database
    .prepare<[], Version>("SELECT count, removed FROM api_key_changes")
    .safeIntegers(false)
  const select = (where: string) =>
    database
      .prepare<Array<number>, KeyRow>(
        `SELECT ${Columns.key} FROM api_keys ${where} ORDER BY created, id`
      )
      .safeIntegers(false)
  const every = select("")
  const changed = select("WHERE changed > ?")

  const all = (): Keys => keysOf(every.all())
  /** The changed keys; all of them if a key was removed since, or a changed row is not a valid key. */
  const changes = (since = Number.POSITIVE_INFINITY): KeyChanges & Keys => {
    // Read first: a change that is committed meanwhile is read again next time.
    const { count, removed } = version.get() ?? unknown
    if (since >= removed && since <= count) {
      const read = keysOf(changed.all(since))
      if (read.invalid.length === 0) return { version: count, ...read, isAll: false }
    }
    return { version: count, ...all(), isAll: true }
  }
  return { all, changes }
}

/** If there is no count, every read returns all keys. */
const unknown: Version = { count: -1, removed: 0 }

const keysOf = (rows: ReadonlyArray<KeyRow>): Keys => {
  const keys: Array<ApiKey> = []
  const invalid: Array<string> = []
  for (const row of rows) {
    const key = keyOf(row)
    if (Option.isSome(key)) keys.push(key.value)
    else invalid.push(row.id)
  }
  return { keys, invalid }
}
