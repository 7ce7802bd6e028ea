/** Options that several commands share. */
import { PetStatus } from "@petstore/domain/PetStatus"
import * as Formats from "../catalogue/Formats.ts"
import * as Flag from "../cli/Flag.ts"
import { oneOf } from "../Parse.ts"

/** Output for programs. */
export const json = Flag.toggle("json", "print JSON")

/** A pet's status. */
export const status = Flag.optional(
  { name: "status", value: PetStatus.literals.join("|"), about: "the status of the pet" },
  oneOf(PetStatus.literals)
)

/** The format of a file. */
export const format = Flag.optional(
  {
    name: "format",
    value: Formats.names.join("|"),
    about: "the file format; default: from the file name"
  },
  oneOf(Formats.names)
)

/** The database. */
export const database = Flag.variable("DATABASE_URL", {
  name: "database",
  value: "URL",
  about: "the database"
})
