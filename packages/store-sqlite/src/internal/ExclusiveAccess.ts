/** Access to a file that no other process has open. */
import type { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import type { Database } from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Connection from "./Connection.ts"
import * as SqliteFailure from "./SqliteFailure.ts"

/**
 * Fails as busy while another process has the file open; then none can use it until the scope is closed. Everything
 * is in the file itself, without a log beside it. None if its header is damaged: then SQLite can neither open nor lock it.
 */
export const take = (
  filename: string
): Effect.Effect<Option.Option<Database>, StoreUnavailable, Scope.Scope> =>
  Effect.flatMap(Connection.open(filename, { fileMustExist: true, timeout: 1000 }), (database) =>
    SqliteFailure.attempt(() => {
      // A file with a write-ahead log is locked by each process that has it open, which prevents this change.
      database.pragma("journal_mode = DELETE")
      database.exec("BEGIN EXCLUSIVE")
      // Keeps the lock without the transaction, within which the file could not be copied.
      database.pragma("locking_mode = EXCLUSIVE")
      database.exec("COMMIT")
      return Option.some(database)
    }).pipe(
      Effect.catchIf(
        ({ reason }) => reason === "damaged",
        // Closed now: later, SQLite would delete the log of the file that has its name then.
        () =>
          Effect.as(
            Effect.sync(() => database.close()),
            Option.none()
          )
      )
    )
  )
