/** Options that several commands share. */
import { PetStatus } from "@petstore/domain/PetStatus"
import * as Formats from "../catalogue/Formats.ts"
import * as Flag from "../cli/Flag.ts"
import { oneOf } from "../Parse.ts"

/** Output for programs. */
export const json = Flag.toggle("--json", "print JSON")

/** A pet's status. */
export const status = Flag.optional(
  `--status ${PetStatus.literals.join("|")}`,
  "the status of the pet",
  oneOf(PetStatus.literals)
)

/** The format of a file. */
export const format = Flag.optional(
  `--format ${Formats.names.join("|")}`,
  "the file format; default: from the file name",
  oneOf(Formats.names)
)

/** The database. */
export const database = Flag.variable("--database URL", "the database", "DATABASE_URL")
