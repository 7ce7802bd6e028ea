/** The databases that `DATABASE_URL` can name. */
import * as Either from "effect/Either"
import type { Parse } from "../cli/Parse.ts"
import type { Database, Kind } from "./Database.ts"
import * as MemoryDatabase from "./MemoryDatabase.ts"
import * as PostgresDatabase from "./PostgresDatabase.ts"
import * as SqliteDatabase from "./SqliteDatabase.ts"

/** Those that outlive the process. */
const durableKinds: ReadonlyArray<Kind> = [SqliteDatabase.kind, PostgresDatabase.kind]
const kinds = [MemoryDatabase.kind, ...durableKinds]

const formsOf = (kinds: ReadonlyArray<Kind>): string => kinds.map(({ form }) => form).join(" or ")

/** The forms of URLs, as help and errors name them. */
export const forms: string = formsOf(kinds)

/** Those of databases that outlive the process. */
export const durableForms: string = formsOf(durableKinds)

/** The database of a URL. An invalid one is not shown: it may hold a password. */
export const parse: Parse<Database> = (url) => {
  for (const kind of kinds) {
    const database = kind.parse(url)
    if (database !== undefined) return Either.right(database)
  }
  return Either.left(`must be ${forms}, with the special characters of a password percent-encoded`)
}
