/** What a file format does, and the validation of the pets in a file. */
import { ImportedPet, type Pet } from "@petstore/domain/Pet"
import type { Arrival } from "@petstore/domain/PetStore"
import * as Issues from "@petstore/http-transport/Issues"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Line } from "./Lines.ts"

export interface BadLine {
  readonly place: number
  readonly reason: string
  /** Whether the rest of the file cannot be read, and is not. */
  readonly isFatal?: boolean
}

/** Reads the lines of one file; a record may span several lines. */
export interface Reader {
  readonly push: (line: Line) => Arrival | BadLine | undefined
  /** The problem, if the file ends in an incomplete record. */
  readonly end: () => BadLine | undefined
}

export interface Format {
  readonly header: string
  /** A pet, with its line break. */
  readonly write: (pet: Pet) => string
  readonly read: () => Reader
}

const decode = Schema.decodeUnknownEither(ImportedPet, { errors: "all" })

/** The pet at a place, or why it is invalid: as strict as the service is with requests. */
export const petFrom = (place: number, fields: unknown): Arrival | BadLine =>
  Either.match(decode(fields), {
    onLeft: (error) => ({ place, reason: Issues.describe(error, "the line") }),
    onRight: (pet) => ({ place, pet })
  })
