/** Bringing a database file to the schema that this version needs. */
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

/** In order; what has been released is never edited, only followed by another. */
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

/** How many steps there are to the schema of this version. */
export const count = Object.keys(migrations).length

const table = "petstore_migrations"
const migrate = Migrator.make({})({ loader: Migrator.fromRecord(migrations), table })

/** The migrator leaves it to another process that is at it; that one may not be done yet. */
const verify = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql<{ readonly done: number }>`SELECT count(*) AS done FROM ${sql(table)}`.pipe(
    Effect.filterOrFail(
      ([row]) => row !== undefined && row.done >= count,
      () => new StoreUnavailable({ reason: "busy" })
    )
  )
)

/** Runs what the file lacks. Processes that start together wait for each other, off the event loop. */
export const run = (filename: string): Effect.Effect<void, StoreUnavailable> =>
  statements("PRAGMA busy_timeout = 0").pipe(
    Effect.zipRight(migrate),
    Effect.zipRight(verify),
    Effect.provide(SqliteClient.layer({ filename })),
    Effect.catchAllDefect(Effect.fail),
    Effect.mapError((error) =>
      error instanceof StoreUnavailable ? error : SqliteFailure.from(error)
    ),
    Effect.retry({
      while: ({ reason }) => reason === "busy",
      schedule: Schedule.spaced("50 millis").pipe(Schedule.upTo("10 seconds"))
    }),
    Effect.asVoid
  )

/** How many of the steps a file has gone. */
export const countDone = (database: Database): number =>
  database.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(table) === undefined
    ? 0
    : Number(database.prepare(`SELECT count(*) FROM ${table}`).pluck().get())
