/** Bringing a database file to the schema that this version needs. */
import * as Migrator from "@effect/sql/Migrator"
import * as SqlClient from "@effect/sql/SqlClient"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import type { StoreUnavailable } from "@petstore/domain/PetStore"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as SqliteFailure from "./SqliteFailure.ts"

const statements = (...texts: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(texts, (text) => sql.unsafe(text), { discard: true })
  )

/** In order; what has been released is never edited, only followed by another. */
const loader = Migrator.fromRecord({
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
  )
})

const migrate = Migrator.make({})({ loader, table: "petstore_migrations" })

/** Fails while another process is still at it, which the migrator itself passes over. */
const verify = statements("SELECT id FROM pets LIMIT 0")

/** Runs what the file lacks. Processes that start together wait for each other. */
export const run = (filename: string): Effect.Effect<void, StoreUnavailable> =>
  Effect.zipRight(migrate, verify).pipe(
    Effect.provide(SqliteClient.layer({ filename })),
    Effect.catchAllDefect(Effect.fail),
    Effect.mapError(SqliteFailure.from),
    Effect.retry({
      while: ({ cause, reason }) =>
        reason === "busy" || SqliteFailure.codeOf(cause) === "SQLITE_ERROR",
      schedule: Schedule.spaced("50 millis").pipe(Schedule.upTo("10 seconds"))
    })
  )
