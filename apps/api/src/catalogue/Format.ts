/** What a file format does, and the validation of the pets in a file. */
import * as Int64 from "@petstore/domain/Int64"
import { CategoryId, ImportedPet, isPetName, type Pet, PetId } from "@petstore/domain/Pet"
import { isPetStatus } from "@petstore/domain/PetStatus"
import type { Arrival } from "@petstore/domain/PetStore"
import * as Issues from "@petstore/http-contract/Issues"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Line } from "./Lines.ts"

/** An invalid record. */
export interface BadLine {
  readonly place: number
  readonly reason: string
  /** Whether the rest of the file cannot be read. */
  readonly isFatal?: boolean
}

/** Reads the lines of one file; a record may span several lines. */
export interface Reader {
  readonly push: (line: Line) => Arrival | BadLine | undefined
  /** The problem, if the file ends in an incomplete record. */
  readonly end: () => BadLine | undefined
}

/** A file format. */
export interface Format {
  readonly header: string
  /** A pet, with its line break. */
  readonly write: (pet: Pet) => string
  readonly read: () => Reader
}

const decode = Schema.decodeUnknownEither(ImportedPet, { errors: "all" })

/** The pet at a place, or why it is invalid: as strict as the service is with requests. */
export const petFrom = (place: number, fields: unknown): Arrival | BadLine => {
  const pet = quick(fields)
  if (pet !== undefined) return { place, pet }
  return Either.match(decode(fields), {
    onLeft: (error) => ({ place, reason: Issues.describe(error, "the line") }),
    onRight: (pet) => ({ place, pet })
  })
}

/** Accepts valid pets without the schema, which is ten times slower; the schema finds the errors. */
const quick = (fields: unknown): ImportedPet | undefined => {
  if (typeof fields !== "object" || fields === null || Array.isArray(fields)) return undefined
  const { categoryId, id, name, status }: Partial<Record<keyof ImportedPet, unknown>> = fields
  if (typeof name !== "string" || !isPetName(name)) return undefined
  if (!isBetween(Int64.min, categoryId)) return undefined
  if (id !== undefined && !isBetween(1n, id)) return undefined
  if (status !== undefined && (typeof status !== "string" || !isPetStatus(status))) return undefined
  return {
    ...(id !== undefined && { id: PetId.make(id, true) }),
    name,
    categoryId: CategoryId.make(categoryId, true),
    ...(status !== undefined && { status })
  }
}

const isBetween = (min: bigint, value: unknown): value is bigint =>
  typeof value === "bigint" && value >= min && value <= Int64.max
