/** The store of keys in a SQLite file. */
import { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import type { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import type { Database } from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as FileIdentity from "./FileIdentity.ts"
import * as KeyReader from "./KeyReader.ts"
import { rowOf } from "./KeyRow.ts"
import * as SqliteFailure from "./SqliteFailure.ts"
import type { Command } from "./WriteCommands.ts"
import type { Write } from "./Writer.ts"

/** The store of keys that reads on this connection and writes with this function. */
export const make = (database: Database, write: Write): ApiKeyStore["Type"] => {
  const reader = KeyReader.make(database)
  // Other processes revoke keys in the file of this name.
  const checkFile = FileIdentity.make(database.name)
  const warned = new Set<string>()
  /** Reads keys, and warns about rows that hold none, once about each. */
  const read = <A extends KeyReader.Keys>(evaluate: () => A): Effect.Effect<A, StoreUnavailable> =>
    Effect.tap(
      SqliteFailure.attempt(() => {
        checkFile()
        return evaluate()
      }),
      ({ unreadable }) => {
        const news = unreadable.filter((id) => !warned.has(id))
        for (const id of news) warned.add(id)
        return news.length > 0 ? warn(news) : Effect.void
      }
    )
  const isDone = (command: Command) => Effect.map(write(command), (changes) => changes > 0n)
  return ApiKeyStore.of({
    list: Effect.map(read(reader.all), ({ keys }) => keys),
    changes: (since) =>
      Effect.map(
        read(() => reader.changes(since)),
        ({ isAll, keys, version }) => ({
          isAll,
          keys,
          version
        })
      ),
    add: (key) => isDone(["addKey", rowOf(key)]),
    addFirst: (key) => isDone(["addFirstKey", rowOf(key)]),
    revoke: (id, at) => isDone(["revokeKey", id, at]),
    replace: ({ by, id, until }) => isDone(["replaceKey", id, until, rowOf(by)]),
    noteUses: (uses, now) => Effect.asVoid(write(["noteUses", uses, now]))
  })
}

const warn = (unreadable: ReadonlyArray<string>) =>
  Effect.logWarning(`these rows hold no key, and open nothing: ${unreadable.join(", ")}`)
