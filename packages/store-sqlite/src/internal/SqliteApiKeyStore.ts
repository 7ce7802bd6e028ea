/** The store of keys in a SQLite file. */
import { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import { makeWarning, valuesOf } from "@petstore/access/KeyRow"
import type { Database } from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as KeyReader from "./KeyReader.ts"
import * as SqliteFailure from "./SqliteFailure.ts"
import type { Write } from "./Writer.ts"
import type { Command } from "./WriterThread.ts"

/**
 * The store of keys that reads on this connection and writes with this function. The check throws while the files are
 * not those that other processes write to: keys are revoked there.
 */
export const make = (database: Database, write: Write, check: () => void): ApiKeyStore["Type"] => {
  const reader = KeyReader.make(database)
  const warn = makeWarning()
  /** Reads keys; warns once about each row that is not a valid key. */
  const read = <A extends KeyReader.Keys>(evaluate: () => A) =>
    Effect.gen(function* () {
      const { invalid, ...found } = yield* SqliteFailure.attempt(() => {
        check()
        return evaluate()
      })
      yield* warn(invalid)
      return found
    })
  const isDone = (command: Command) => Effect.map(write(command), (changes) => changes > 0n)
  return ApiKeyStore.of({
    list: Effect.map(read(reader.all), ({ keys }) => keys),
    changes: (since) => read(() => reader.changes(since)),
    add: (key) => isDone(["keys.add", valuesOf(key)]),
    addFirst: (key) => isDone(["keys.addFirst", valuesOf(key)]),
    merge: (key) => isDone(["keys.merge", valuesOf(key)]),
    revoke: (id, at) => isDone(["keys.revoke", id, at]),
    replace: ({ by, id, until }) => isDone(["keys.replace", id, until, valuesOf(by), by.created]),
    noteUses: (uses, now) => Effect.asVoid(write(["keys.noteUses", uses, now]))
  })
}
