/** The store of keys in a SQLite file. */
import { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import type { Database } from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as FileIdentity from "./FileIdentity.ts"
import * as FileSize from "./FileSize.ts"
import * as KeyReader from "./KeyReader.ts"
import { rowOf } from "./KeyRow.ts"
import * as SqliteFailure from "./SqliteFailure.ts"
import type { Write } from "./Writer.ts"
import type { Command } from "./WriterThread.ts"

/** The store of keys that reads on this connection and writes with this function. */
export const make = (database: Database, write: Write): ApiKeyStore["Type"] => {
  const reader = KeyReader.make(database)
  // Keys that other processes revoke are revoked in the file of this name.
  const checkFile = FileIdentity.make(database.name)
  const checkSize = FileSize.make(database)
  const warned = new Set<string>()
  /** Reads keys; warns once about each row that is not a valid key. */
  const read = <A extends KeyReader.Keys>(evaluate: () => A) =>
    Effect.gen(function* () {
      const { invalid, ...found } = yield* SqliteFailure.attempt(() => {
        checkFile()
        checkSize()
        return evaluate()
      })
      const news = invalid.filter((id) => !warned.has(id))
      for (const id of news) warned.add(id)
      if (news.length > 0) yield* Effect.logWarning(`ignoring invalid keys: ${news.join(", ")}`)
      return found
    })
  const isDone = (command: Command) => Effect.map(write(command), (changes) => changes > 0n)
  return ApiKeyStore.of({
    list: Effect.map(read(reader.all), ({ keys }) => keys),
    changes: (since) => read(() => reader.changes(since)),
    add: (key) => isDone(["addKey", rowOf(key)]),
    addFirst: (key) => isDone(["addFirstKey", rowOf(key)]),
    merge: (key) => isDone(["mergeKey", rowOf(key)]),
    revoke: (id, at) => isDone(["revokeKey", id, at]),
    replace: ({ by, id, until }) => isDone(["replaceKey", id, until, rowOf(by)]),
    noteUses: (uses, now) => Effect.asVoid(write(["noteUses", uses, now]))
  })
}
