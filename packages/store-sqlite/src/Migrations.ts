/** Brings a database file to the schema that this version needs. */
import * as Migrator from "@effect/sql/Migrator"
import * as SqlClient from "@effect/sql/SqlClient"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import { StoreUnavailable } from "@petstore/domain/PetStore"
import type { Database } from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as SqliteFailure from "./SqliteFailure.ts"

const statements = (...texts: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(texts, (text) => sql.unsafe(text), { discard: true })
  )

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
  // Whoever changes a key, be it by hand, moves the count, by which servers see that there is news.
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
  )
}

const names = Object.keys(migrations)
const table = "petstore_migrations"
const migrate = Migrator.make({})({ loader: Migrator.fromRecord(migrations), table })

interface Done {
  readonly id: number
  readonly name: string
}
const newest = `SELECT migration_id AS id, name FROM ${table} ORDER BY migration_id DESC LIMIT 1`

/** How many migrations a file still needs. Throws when it has one that this program does not know. */
const missingAfter = (done: Done | undefined): number => {
  const missing = names.length - (done?.id ?? 0)
  if (done === undefined || missing >= 0) return missing
  const known = `${names.length} (${names.at(-1)?.replace(/^\d+_/, "")})`
  throw new StoreUnavailable({
    reason: "incompatible",
    cause: new Error(`it has schema version ${done.id} (${done.name}), this program knows ${known}`)
  })
}

/**
 * The migrator skips every migration up to the newest one in the file, so it accepts a newer file.
 * When another process is migrating, it returns before that process is done.
 */
const verify = Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<Done>(newest)).pipe(
  Effect.flatMap(([done]) => SqliteFailure.attempt(() => missingAfter(done))),
  Effect.filterOrFail(
    (missing) => missing === 0,
    () => new StoreUnavailable({ reason: "busy" })
  )
)

/** Runs the missing migrations. Processes that start together wait for each other, off the event loop. */
export const run = (filename: string): Effect.Effect<void, StoreUnavailable> =>
  statements("PRAGMA busy_timeout = 0").pipe(
    Effect.zipRight(migrate),
    Effect.zipRight(verify),
    Effect.provide(SqliteClient.layer({ filename })),
    Effect.catchAllDefect(Effect.fail),
    Effect.mapError(SqliteFailure.from),
    Effect.retry({
      while: ({ reason }) => reason === "busy",
      schedule: Schedule.spaced("50 millis").pipe(Schedule.upTo("10 seconds"))
    }),
    Effect.asVoid
  )

/** How many migrations an open file still needs. Throws as {@link run} fails for a newer file. */
export const countMissing = (database: Database): number =>
  missingAfter(
    database.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(table) === undefined
      ? undefined
      : database.prepare<[], Done>(newest).get()
  )
