/** Options that several commands share. */
import * as Either from "effect/Either"
import * as Flag from "../cli/Flag.ts"
import { oneOf, text } from "../cli/Parse.ts"
import * as Databases from "../databases/Databases.ts"
import * as Formats from "../petFiles/Formats.ts"
import { pipe } from "../petFiles/PetFile.ts"

export const json = Flag.toggle("--json", "print JSON")

export const format = Flag.optional(
  `--format ${Formats.names.join("|")}`,
  "the file format; default: from the file name",
  oneOf(Formats.names)
)

export const databaseFile = (about: string) =>
  Flag.required("FILE", about, (value) =>
    value === pipe ? Either.left("must be a file: a database cannot be piped") : text(value.trim())
  )

export const database = Flag.variable(
  "--database URL",
  `the database, ${Databases.durableForms}`,
  "DATABASE_URL"
)
