/** Brings a database file to the schema that this version needs. */
import * as Migrator from "@effect/sql/Migrator"
import * as SqlClient from "@effect/sql/SqlClient"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Connection from "./Connection.ts"
import { checkCopies, type Database } from "./Driver.ts"
import * as FileSchema from "./FileSchema.ts"
import * as SqliteFailure from "./SqliteFailure.ts"

/** Of migration 3: every column of a key that is not its use. */
const keyFields = (row: "OLD" | "NEW") =>
  ["id", "name", "digest", "scopes", "created", "expires", "retires", "revoked"]
    .map((column) => `${row}.${column}`)
    .join(", ")

/** Of migration 3: notes in a key when it changed. */
const markChanged = `UPDATE api_keys
      SET changed = coalesce((SELECT count FROM api_key_changes), 0) WHERE rowid = NEW.rowid;`

/** In order. A released migration is never edited, only followed by another. */
const migrations: Readonly<Record<string, ReadonlyArray<string>>> = {
  // An index of one column ends with the row's id, so it also gives a filtered page in order.
  // Ids that once were assigned are never assigned again (AUTOINCREMENT).
  "0001_pets": [
    `CREATE TABLE pets (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL CHECK (name <> ''),
      category_id INTEGER NOT NULL,
      status TEXT CHECK (status IN ('available', 'pending', 'sold'))
    ) STRICT`,
    "CREATE INDEX pets_by_status ON pets (status) WHERE status IS NOT NULL"
  ],
  // Every change of a key, also by hand, raises the count, by which servers notice it.
  "0002_api_keys": [
    `CREATE TABLE api_keys (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      digest TEXT NOT NULL UNIQUE,
      scopes TEXT NOT NULL,
      created INTEGER NOT NULL,
      expires INTEGER,
      retires INTEGER,
      revoked INTEGER,
      last_used INTEGER
    ) STRICT`,
    "CREATE TABLE api_key_changes (count INTEGER NOT NULL) STRICT",
    "INSERT INTO api_key_changes VALUES (0)",
    ...["INSERT", "UPDATE", "DELETE"].map(
      (event) => `CREATE TRIGGER api_keys_after_${event.toLowerCase()} AFTER ${event} ON api_keys
        BEGIN UPDATE api_key_changes SET count = count + 1; END`
    )
  ],
  // Each key has the count of its last change, so that servers read the changed keys only. A use moves
  // nothing. A key that is gone cannot say so itself: `removed` is the count of the last one.
  "0003_key_versions": [
    "ALTER TABLE api_keys ADD COLUMN changed INTEGER NOT NULL DEFAULT 0",
    "CREATE INDEX api_keys_by_change ON api_keys (changed)",
    "ALTER TABLE api_key_changes ADD COLUMN removed INTEGER NOT NULL DEFAULT 0",
    ...["insert", "update", "delete"].map((event) => `DROP TRIGGER api_keys_after_${event}`),
    `CREATE TRIGGER api_keys_after_insert AFTER INSERT ON api_keys BEGIN
      UPDATE api_key_changes SET count = count + 1;
      ${markChanged}
    END`,
    `CREATE TRIGGER api_keys_after_update AFTER UPDATE ON api_keys
    WHEN (${keyFields("OLD")}) IS NOT (${keyFields("NEW")}) BEGIN
      UPDATE api_key_changes SET
        count = count + 1,
        removed = iif(OLD.id IS NEW.id, removed, count + 1);
      ${markChanged}
    END`,
    `CREATE TRIGGER api_keys_after_delete AFTER DELETE ON api_keys BEGIN
      UPDATE api_key_changes SET count = count + 1, removed = count + 1;
    END`
  ],
  // Which pet an idempotency key was used for, and when.
  "0004_idempotency_keys": [
    `CREATE TABLE idempotency_keys (
      key TEXT PRIMARY KEY,
      pet_id INTEGER NOT NULL,
      at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    "CREATE INDEX idempotency_keys_by_time ON idempotency_keys (at)"
  ]
}

const names = Object.keys(migrations)
const table = "petstore_migrations"

/** As the migrator creates it. */
const createTable = `CREATE TABLE "${table}" (
  migration_id integer PRIMARY KEY NOT NULL,
  created_at datetime NOT NULL DEFAULT current_timestamp,
  name VARCHAR(255) NOT NULL
)`

/** The schema after this many migrations. */
const schemaOf = (count: number) =>
  FileSchema.of([createTable, ...Object.values(migrations).slice(0, count).flat()])

const newest = `SELECT migration_id, name FROM ${table} ORDER BY migration_id DESC LIMIT 1`

/**
 * Compares the schema of a file with the one of its version. Throws when it has a migration that this program does
 * not know. Nothing else may be read before: a view with the name of a table may never end.
 */
export const examine = (database: Database) =>
  database.transaction(() => {
    const found = FileSchema.read(database)
    const foundTable = found.filter(({ name }) => name === table)
    const done =
      FileSchema.differences(foundTable, schemaOf(0)).length === 0
        ? database.prepare<[id: bigint, name: string], []>(newest).get()
        : undefined
    const count = Math.max(0, Number(done?.[0] ?? 0))
    if (done !== undefined && count > names.length) {
      const known = `${names.length} (${names.at(-1)?.replace(/^\d+_/, "")})`
      const message = `it has schema version ${done[0]} (${done[1]}), this program knows ${known}`
      throw new StoreUnavailable({ reason: "incompatible", cause: new Error(message) })
    }
    const problems = found.length === 0 ? [] : FileSchema.differences(found, schemaOf(count))
    return {
      /** How many migrations the file still needs. */
      missing: names.length - count,
      /** Whether it has a schema of this program, of any version it knows. */
      isPetStore: count > 0,
      problems
    }
  })

/** The same; throws also if the schema differs. */
export const check = (database: Database) => {
  const state = examine(database)
  if (state.problems.length > 0) throw SqliteFailure.corrupt(state.problems.join("; "))
  return state
}

/** The same for a file to copy; throws also if it is not a Pet Store database. */
export const checkToCopy = (database: Database): void => {
  const { isPetStore, problems } = examine(database)
  if (!isPetStore) throw SqliteFailure.corrupt("it is not a Pet Store database")
  if (problems.length > 0) throw SqliteFailure.corrupt(problems.join("; "))
}

/** Checks a file and gives it a write-ahead log. Returns how many migrations it needs. */
const prepare = (filename: string) =>
  Connection.use(filename, { timeout: 0 }, (database) => {
    const { missing } = check(database)
    database.exec("PRAGMA journal_mode = WAL")
    return missing
  })

const execute = (texts: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(texts, (text) => sql.unsafe(text), { discard: true })
  )

const migrate = Migrator.make({})({
  loader: Migrator.fromRecord(
    Object.fromEntries(Object.entries(migrations).map(([name, texts]) => [name, execute(texts)]))
  ),
  table
})

/**
 * Runs the missing migrations. Processes that start together wait for each other, off the event loop: when another one
 * is migrating, the migrator returns before that one is done.
 */
export const run = (filename: string): Effect.Effect<void, StoreUnavailable> =>
  Effect.gen(function* () {
    if ((yield* prepare(filename)) === 0) return
    yield* SqliteFailure.attempt(() => checkCopies(import.meta.url))
    yield* execute(["PRAGMA busy_timeout = 0"]).pipe(
      Effect.andThen(migrate),
      // The client would set WAL itself, and block the event loop while another process holds the lock.
      Effect.provide(SqliteClient.layer({ filename, disableWAL: true })),
      Effect.catchAllDefect(Effect.fail),
      Effect.mapError(SqliteFailure.from)
    )
    if ((yield* prepare(filename)) > 0) return yield* new StoreUnavailable({ reason: "busy" })
  }).pipe(
    Effect.retry({
      while: ({ reason }) => reason === "busy",
      schedule: Schedule.spaced("50 millis").pipe(Schedule.upTo("10 seconds"))
    })
  )
