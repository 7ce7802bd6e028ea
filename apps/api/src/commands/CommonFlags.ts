/** Options that several commands share. */
import * as Formats from "../catalogue/Formats.ts"
import * as Flag from "../cli/Flag.ts"
import { oneOf } from "../Parse.ts"

export const json = Flag.toggle("--json", "print JSON")

export const format = Flag.optional(
  `--format ${Formats.names.join("|")}`,
  "the file format; default: from the file name",
  oneOf(Formats.names)
)

export const database = Flag.variable("--database URL", "the database", "DATABASE_URL")
