/** Brings a database file to the schema that this version needs. */
import { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Connection from "./Connection.ts"
import type { Database } from "./Driver.ts"
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

const names = Object.keys(migrations).map((name) => name.replace(/^\d+_/, ""))
const table = "petstore_migrations"

/** As the first versions created it, with Effect's migrator. */
const createTable = `CREATE TABLE IF NOT EXISTS "${table}" (
  migration_id integer PRIMARY KEY NOT NULL,
  created_at datetime NOT NULL DEFAULT current_timestamp,
  name VARCHAR(255) NOT NULL
)`

/** The schema after this many migrations. */
const schemaOf = (count: number) =>
  FileSchema.of([createTable, ...Object.values(migrations).slice(0, count).flat()])

const newest = `SELECT migration_id, name FROM ${table} ORDER BY migration_id DESC LIMIT 1`

/** Within a transaction. Nothing else may be read before: a view with the name of a table may never end. */
const stateOf = (database: Database) => {
  const found = FileSchema.read(database)
  const foundTable = found.filter(({ name }) => name === table)
  const done =
    FileSchema.differences(foundTable, schemaOf(0)).length === 0
      ? database.prepare<[id: bigint, name: string], []>(newest).get()
      : undefined
  const count = Math.max(0, Number(done?.[0] ?? 0))
  if (done !== undefined && count > names.length) {
    const known = `${names.length} (${names.at(-1)})`
    const message = `it has schema version ${done[0]} (${done[1]}), this program knows ${known}`
    throw new StoreUnavailable({ reason: "incompatible", cause: new Error(message) })
  }
  const problems = found.length === 0 ? [] : FileSchema.differences(found, schemaOf(count))
  return {
    /** How many migrations the file has. */
    count,
    /** How many migrations it still needs. */
    missing: names.length - count,
    problems
  }
}

const rejectProblems = <S extends { readonly problems: ReadonlyArray<string> }>(state: S): S => {
  if (state.problems.length > 0) throw SqliteFailure.corrupt(state.problems.join("; "))
  return state
}

/**
 * Compares the schema of a file with the one of its version. Throws when it has a migration that this program does
 * not know.
 */
export const examine = (database: Database) => database.transaction(() => stateOf(database))

/** The same; throws also if the schema differs. */
export const check = (database: Database) => rejectProblems(examine(database))

/** The same for a file to copy; throws also if it is not a Pet Store database. */
export const checkToCopy = (database: Database): void => {
  const state = examine(database)
  if (state.count === 0) throw SqliteFailure.corrupt("it is not a Pet Store database")
  rejectProblems(state)
}

/** Runs the migrations that a file lacks, all or none. Another process may have run them before this one has the lock. */
const migrate = (database: Database) =>
  database.transaction(() => {
    const { count } = rejectProblems(stateOf(database))
    database.exec(createTable)
    const insert = database.prepare(`INSERT INTO ${table} (migration_id, name) VALUES (?, ?)`)
    for (const [nth, statements] of Object.values(migrations).entries()) {
      if (nth < count) continue
      for (const statement of statements) database.exec(statement)
      insert.run(nth + 1, names[nth])
    }
  }, "BEGIN IMMEDIATE")

/** Runs the missing migrations, and gives the file a write-ahead log. Waits for locks off the event loop. */
export const run = (filename: string): Effect.Effect<void, StoreUnavailable> =>
  Connection.use(filename, { timeout: 0 }, (database) => {
    const { missing } = check(database)
    database.exec("PRAGMA journal_mode = WAL")
    if (missing > 0) migrate(database)
  }).pipe(
    Effect.retry({
      while: ({ reason }) => reason === "busy",
      schedule: Schedule.spaced("50 millis").pipe(Schedule.upTo("10 seconds"))
    })
  )
