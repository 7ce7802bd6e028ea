/** Reads of keys: all of them, or those that have changed. */
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
  /** The ids of rows that hold no valid key. They are not accepted as keys. */
  readonly unreadable: ReadonlyArray<string>
}

/** Reads of keys. They throw SQLite's errors. */
export interface KeyReader {
  readonly all: () => Keys
  /** The changed keys; all of them when a key was removed since, or a row became unreadable. */
  readonly changes: (since: number | undefined) => KeyChanges & Keys
}

interface Version {
  readonly count: number
  readonly removed: number
}

/** Prepares every statement once. */
export const make = (database: Database): KeyReader => {
  const version = database
    .prepare<[], Version>("SELECT count, removed FROM api_key_changes")
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
  return {
    all,
    changes: (since) => {
      // Read first: a change that is committed meanwhile is read again next time.
      const current = version.get()
      const isKnown =
        since !== undefined &&
        current !== undefined &&
        since <= current.count &&
        since >= current.removed
      if (isKnown) {
        const read = keysOf(changed.all(since))
        if (read.unreadable.length === 0) return { version: current.count, ...read, isAll: false }
      }
      // Without a count there is no version to go on from.
      return { version: current?.count ?? -1, ...all(), isAll: true }
    }
  }
}

const keysOf = (rows: ReadonlyArray<KeyRow>): Keys => {
  const keys: Array<ApiKey> = []
  const unreadable: Array<string> = []
  for (const row of rows) {
    const key = keyOf(row)
    if (Option.isSome(key)) keys.push(key.value)
    else unreadable.push(row[0])
  }
  return { keys, unreadable }
}
