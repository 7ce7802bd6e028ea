/** The store of keys in a SQLite file. */
import { ApiKeyStore, type KeyChanges } from "@petstore/access/ApiKeyStore"
import * as Columns from "@petstore/store-sql/Columns"
import { type Keys, keysOf, makeWarning, valuesOf } from "@petstore/store-sql/KeyRow"
import * as Effect from "effect/Effect"
import type { Database } from "./Driver.ts"
import * as Migrations from "./Migrations.ts"
import * as SqliteFailure from "./SqliteFailure.ts"
import type { Write } from "./Writer.ts"

const select = (database: Database, where: string) =>
  database.prepare<ReadonlyArray<string | bigint | null>, Array<number>>(
    `SELECT ${Columns.key} FROM api_keys ${where} ORDER BY created, id`
  )

/** Every key of a file with the schema of this version. Throws SQLite's errors. */
export const readAll = (database: Database): Keys => keysOf(select(database, "").all())

/** Every key of a file of any schema; throws if that is not one of this program. */
export const checkedKeys = (database: Database) => {
  Migrations.check(database)
  return readAll(database).keys
}

/**
 * The store of keys that reads on this connection and writes with this function. The check throws while the files are
 * not those that other processes write to: keys are revoked there.
 */
export const make = (database: Database, write: Write, check: () => void): ApiKeyStore["Type"] => {
  // The schema's version tells a file that was set back: whatever restores into an open file raises it.
  const current = database.prepare<[schema: bigint, count: bigint, removed: bigint], []>(
    "SELECT schema_version, count, removed FROM pragma_schema_version, api_key_changes"
  )
  const every = select(database, "")
  const changed = select(database, "WHERE changed > ?")

  const all = () => keysOf(every.all())
  /** The changed keys; all of them if a key was removed since, or a changed row is not a valid key. */
  const changes = (known = ""): KeyChanges & Keys => {
    // Read first: a change that is committed meanwhile is read again next time. If there is no count,
    // every read returns all keys.
    const [schema, count, removed] = current.get() ?? [0n, -1n, 0n]
    const [knownSchema, since = Number.NaN] = known.split(".").map(Number)
    const version = `${schema}.${count}`
    if (knownSchema === Number(schema) && since >= removed && since <= count) {
      const read = keysOf(changed.all(since))
      if (read.invalid.length === 0) return { version, ...read, isAll: false }
    }
    return { version, ...all(), isAll: true }
  }

  const warn = makeWarning()
  /** Reads keys; warns once about each row that is not a valid key. */
  const read = <A extends Keys>(evaluate: () => A) =>
    Effect.gen(function* () {
      const { invalid, ...found } = yield* SqliteFailure.attempt(() => {
        check()
        return evaluate()
      })
      yield* warn(invalid)
      return found
    })
  return ApiKeyStore.of({
    list: Effect.map(read(all), ({ keys }) => keys),
    changes: (since) => read(() => changes(since)),
    add: (key) => write("keys.add", valuesOf(key)),
    addFirst: (key) => write("keys.addFirst", valuesOf(key)),
    merge: (key) => write("keys.merge", valuesOf(key)),
    revoke: (id, at) => write("keys.revoke", id, at),
    replace: ({ by, id, until }) => write("keys.replace", id, until, valuesOf(by), by.created),
    noteUses: (uses, now) => write("keys.noteUses", uses, now)
  })
}
