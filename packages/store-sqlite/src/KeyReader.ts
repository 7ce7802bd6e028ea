/** Reads of keys: all of them, but only when there is news. */
import { ApiKey } from "@petstore/domain/ApiKey"
import type { Database } from "better-sqlite3"
import * as Schema from "effect/Schema"
import * as SqliteFailure from "./SqliteFailure.ts"

const columns = ["id", "name", "digest", "scopes", "created", "expires", "revoked", "last_used"]

type Row = readonly [
  id: string,
  name: string,
  digest: string,
  scopes: string,
  created: number,
  expires: number | null,
  revoked: number | null,
  lastUsed: number | null
]

/** Gives every key, the oldest first; it throws what SQLite throws. */
export const make = (database: Database): (() => ReadonlyArray<ApiKey>) => {
  const count = database.prepare("SELECT count FROM api_key_changes").pluck()
  const all = database
    .prepare<[], Row>(`SELECT ${columns.join(", ")} FROM api_keys ORDER BY created, id`)
    .raw()
    .safeIntegers(false)
  let known: unknown
  let keys: ReadonlyArray<ApiKey> = []
  // Checking a row takes much longer than reading it, and mostly it is the same as last time.
  let checked = new Map<string, ApiKey>()
  return () => {
    const current = count.get()
    if (current !== known) {
      const next = new Map<string, ApiKey>()
      keys = all.all().map((row) => {
        const text = row.join("\n")
        const key = checked.get(text) ?? keyOf(row)
        next.set(text, key)
        return key
      })
      checked = next
      known = current
    }
    return keys
  }
}

const decode = Schema.decodeUnknownSync(ApiKey)

/** A row that is no key was not written by this store: the file is damaged. */
const keyOf = ([id, name, digest, scopes, created, expires, revoked, lastUsed]: Row): ApiKey => {
  try {
    return decode({
      ...{ id, name, digest, scopes: scopes.split(" "), created },
      ...(expires !== null && { expires }),
      ...(revoked !== null && { revoked }),
      ...(lastUsed !== null && { lastUsed })
    })
  } catch {
    throw SqliteFailure.corrupt(`the row of key ${id} holds no key`)
  }
}
