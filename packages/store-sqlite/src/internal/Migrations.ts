/** Brings a database file to the schema that this version needs. */
import * as Migrator from "@effect/sql/Migrator"
import * as SqlClient from "@effect/sql/SqlClient"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import type { Database } from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Connection from "./Connection.ts"
import * as SqliteFailure from "./SqliteFailure.ts"

const statements = (...texts: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(texts, (text) => sql.unsafe(text), { discard: true })
  )

/** Of migration 3: every column of a key that is not its use. */
const keyFields = (row: "OLD" | "NEW") =>
  ["id", "name", "digest", "scopes", "created", "expires", "retires", "revoked"]
    .map((column) => `${row}.${column}`)
    .join(", ")

/** Of migration 3: notes in a key when it changed. */
const markChanged = `UPDATE api_keys
      SET changed = coalesce((SELECT count FROM api_key_changes), 0) WHERE rowid = NEW.rowid;`

/** In order. A released migration is never edited, only followed by another. */
const migrations = {
  // An index of one column ends with the row's id, so it also gives a filtered page in order.
  // Ids that once were assigned are never assigned again (AUTOINCREMENT).
  "0001_pets": statements(
    `CREATE TABLE pets (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL CHECK (name <> ''),
      category_id INTEGER NOT NULL,
      status TEXT CHECK (status IN ('available', 'pending', 'sold'))
    ) STRICT`,
    "CREATE INDEX pets_by_status ON pets (status) WHERE status IS NOT NULL"
  ),
  // Every change of a key, also by hand, raises the count, by which servers notice it.
  "0002_api_keys": statements(
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
  ),
  // Each key has the count of its last change, so that servers read the changed keys only. A use moves
  // nothing. A key that is gone cannot say so itself: `removed` is the count of the last one.
  "0003_key_versions": statements(
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
  ),
  // Which pet an idempotency key was used for, and when.
  "0004_idempotency_keys": statements(
    `CREATE TABLE idempotency_keys (
      key TEXT PRIMARY KEY,
      pet_id INTEGER NOT NULL,
      at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    "CREATE INDEX idempotency_keys_by_time ON idempotency_keys (at)"
  )
}

const names = Object.keys(migrations)
const table = "petstore_migrations"
const migrate = Migrator.make({})({ loader: Migrator.fromRecord(migrations), table })

const newest = `SELECT migration_id AS id, name FROM ${table} ORDER BY migration_id DESC LIMIT 1`

/** How many migrations a file still needs. Throws when it has one that this program does not know. */
export const countMissing = (database: Database): number => {
  const found = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(table)
  const done = found
    ? database.prepare<[], { readonly id: number; readonly name: string }>(newest).get()
    : undefined
  const missing = names.length - (done?.id ?? 0)
  if (done === undefined || missing >= 0) return missing
  const known = `${names.length} (${names.at(-1)?.replace(/^\d+_/, "")})`
  throw new StoreUnavailable({
    reason: "incompatible",
    cause: new Error(`it has schema version ${done.id} (${done.name}), this program knows ${known}`)
  })
}

/** Whether a file has a schema of this program, of any version it knows. Throws when it has a newer one. */
export const isPetStore = (database: Database): boolean => countMissing(database) < names.length

/**
 * The migrator skips every migration up to the newest one in the file, so it accepts a newer file.
 * When another process is migrating, it returns before that process is done.
 */
const verify = (filename: string) =>
  Effect.scoped(
    Effect.flatMap(Connection.open(filename, { fileMustExist: true, timeout: 0 }), (database) =>
      SqliteFailure.attempt(() => {
        if (countMissing(database) > 0) throw new StoreUnavailable({ reason: "busy" })
      })
    )
  )

/** Runs the missing migrations. Processes that start together wait for each other, off the event loop. */
export const run = (filename: string): Effect.Effect<void, StoreUnavailable> =>
  // The client would set WAL itself, and block the event loop while another process holds the lock.
  statements("PRAGMA busy_timeout = 0", "PRAGMA journal_mode = WAL").pipe(
    Effect.zipRight(migrate),
    Effect.provide(SqliteClient.layer({ filename, disableWAL: true })),
    Effect.catchAllDefect(Effect.fail),
    Effect.mapError(SqliteFailure.from),
    Effect.zipRight(verify(filename)),
    Effect.retry({
      while: ({ reason }) => reason === "busy",
      schedule: Schedule.spaced("50 millis").pipe(Schedule.upTo("10 seconds"))
    })
  )
