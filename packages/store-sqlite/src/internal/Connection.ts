/** Connections to a database file, closed with their scope. */
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Driver from "./Driver.ts"
import * as SqliteFailure from "./SqliteFailure.ts"

/** Opens a file until the scope is closed. */
export const open = (
  filename: string,
  options: Driver.Options
): Effect.Effect<Driver.Database, StoreUnavailable, Scope.Scope> =>
  Effect.acquireRelease(
    SqliteFailure.attempt(() => Driver.open(filename, options)),
    (database) => Effect.sync(() => database.close())
  )

/** Opens a file, evaluates something that may throw SQLite's errors, and closes the file. */
export const use = <A>(
  filename: string,
  options: Driver.Options,
  body: (database: Driver.Database) => A
): Effect.Effect<A, StoreUnavailable> =>
  Effect.flatMap(open(filename, options), (database) =>
    SqliteFailure.attempt(() => body(database))
  ).pipe(Effect.scoped)

/** Opens an existing file to read it. A connection opened as read-only would leave a log beside it when it is closed. */
export const openToRead = (
  filename: string,
  timeout = 5000
): Effect.Effect<Driver.Database, StoreUnavailable, Scope.Scope> =>
  Effect.tap(open(filename, { fileMustExist: true, timeout }), (database) =>
    SqliteFailure.attempt(() => database.exec("PRAGMA query_only = ON"))
  )
