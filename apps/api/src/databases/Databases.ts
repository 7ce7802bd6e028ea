/** The databases that `DATABASE_URL` can name. */
import * as Either from "effect/Either"
import type { Parse } from "../Parse.ts"
import type { Database } from "./Database.ts"
import * as MemoryDatabase from "./MemoryDatabase.ts"
import * as PostgresDatabase from "./PostgresDatabase.ts"
import * as SqliteDatabase from "./SqliteDatabase.ts"

/** The database of a URL. */
export const parse: Parse<Database> = (url) =>
  Either.fromNullable(
    SqliteDatabase.parse(url) ?? PostgresDatabase.parse(url) ?? MemoryDatabase.parse(url),
    () =>
      // The text is not shown unless it is a file: it may hold a password, also in the form of another program.
      /^postgres/i.test(url)
        ? "must be a URL such as postgres://user@host:5432/petstore, with special characters in it percent-encoded"
        : `must be memory:, sqlite:<file> or postgres://<host>/<database>${/^[\w./-]+\.(db|sqlite3?)$/.test(url) ? `; for a file, write sqlite:${url}` : ""}`
  )
