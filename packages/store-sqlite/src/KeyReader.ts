/** Reads of keys: all of them, but only when there is news. */
import { ApiKey } from "@petstore/domain/ApiKey"
import type { Database } from "better-sqlite3"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type KeyRow, keyColumns } from "./Statements.ts"

/** What was read of the keys. */
export interface Keys {
  /** The keys, the oldest first. */
  readonly keys: ReadonlyArray<ApiKey>
  /** The ids of rows that hold no key. They open nothing, and keep nobody from ending the others. */
  readonly unreadable: ReadonlyArray<string>
}

/** Reads every key, and gives the same value until one has changed; it throws what SQLite throws. */
export const make = (database: Database): (() => Keys) => {
  const count = database.prepare("SELECT count FROM api_key_changes").pluck()
  const all = database
    .prepare<[], KeyRow>(`SELECT ${keyColumns} FROM api_keys ORDER BY created, id`)
    .raw()
    .safeIntegers(false)
  let known: unknown
  let read: Keys = { keys: [], unreadable: [] }
  // Checking a row takes much longer than reading it, and mostly it is the same as last time.
  let checked = new Map<string, Option.Option<ApiKey>>()
  return () => {
    const current = count.get()
    // Without a count nobody can tell that there is none.
    if (current === undefined || current !== known) {
      const next = new Map<string, Option.Option<ApiKey>>()
      const keys: Array<ApiKey> = []
      const unreadable: Array<string> = []
      for (const row of all.all()) {
        const text = row.join("\n")
        const key = checked.get(text) ?? keyOf(row)
        next.set(text, key)
        if (Option.isSome(key)) keys.push(key.value)
        else unreadable.push(row[0])
      }
      checked = next
      known = current
      read = { keys, unreadable }
    }
    return read
  }
}

const decode = Schema.decodeUnknownOption(ApiKey)

const keyOf = ([
  id,
  name,
  digest,
  scopes,
  created,
  expires,
  retires,
  revoked,
  lastUsed
]: KeyRow): Option.Option<ApiKey> =>
  decode({
    ...{ id, name, digest, scopes: scopes.split(" "), created },
    ...(expires !== null && { expires }),
    ...(retires !== null && { retires }),
    ...(revoked !== null && { revoked }),
    ...(lastUsed !== null && { lastUsed })
  })
