/** The keys in a SQLite file. */
import type { ApiKey } from "@petstore/domain/ApiKey"
import { ApiKeyStore } from "@petstore/domain/ApiKeyStore"
import type { Database } from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as InPlace from "./InPlace.ts"
import * as KeyReader from "./KeyReader.ts"
import * as SqliteFailure from "./SqliteFailure.ts"
import type { Command, KeyRow } from "./Statements.ts"
import type { Write } from "./Writer.ts"

/** The store of keys that reads by this connection and writes with the others. */
export const make = (database: Database, write: Write): ApiKeyStore["Type"] => {
  const readAll = KeyReader.make(database)
  // Whoever revokes a key does it in the file of this name.
  const checkInPlace = InPlace.make(database.name)
  let told: KeyReader.Keys["unreadable"] = []
  const look = SqliteFailure.attempt(() => {
    checkInPlace()
    return readAll()
  })
  const isDone = (command: Command) => Effect.map(write(command), (changes) => changes > 0n)
  return ApiKeyStore.of({
    list: Effect.flatMap(look, ({ keys, unreadable }) => {
      const isNews = unreadable.length > 0 && unreadable !== told
      told = unreadable
      return isNews ? Effect.as(warn(unreadable), keys) : Effect.succeed(keys)
    }),
    add: (key) => isDone(["addKey", rowOf(key)]),
    addFirst: (key) => isDone(["addFirstKey", rowOf(key)]),
    revoke: (id, at) => isDone(["revokeKey", id, at]),
    replace: ({ by, id, until }) => isDone(["replaceKey", id, until, rowOf(by)]),
    noteUses: (uses) =>
      Effect.forEach(uses, ({ at, id }) => write(["noteUse", id, at]), {
        concurrency: "unbounded",
        discard: true
      })
  })
}

const warn = (unreadable: ReadonlyArray<string>) =>
  Effect.logWarning(`these rows hold no key, and open nothing: ${unreadable.join(", ")}`)

const rowOf = (key: ApiKey): KeyRow => [
  key.id,
  key.name,
  key.digest,
  key.scopes.join(" "),
  key.created,
  key.expires ?? null,
  key.retires ?? null,
  key.revoked ?? null,
  key.lastUsed ?? null
]
