/** Validates pets from files as strictly as the service validates requests. */
import * as Int64 from "@petstore/domain/Int64"
import { CategoryId, ImportedPet, isPetName, PetId } from "@petstore/domain/Pet"
import { isPetStatus } from "@petstore/domain/PetStatus"
import type { Arrival } from "@petstore/domain/PetStore"
import * as Issues from "@petstore/http-contract/Issues"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { BadLine } from "./Format.ts"

/** The fields of a pet, not validated. */
export interface Fields {
  readonly id?: unknown
  readonly name?: unknown
  readonly categoryId?: unknown
  readonly status?: unknown
}

const decode = Schema.decodeUnknownEither(ImportedPet, { errors: "all" })

/** The pet at a place, or why it is invalid. */
export const fromFields = (place: number, fields: unknown): Arrival | BadLine => {
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
  const { categoryId, id, name, status }: Fields = fields
  if (typeof name !== "string" || !isPetName(name)) return undefined
  if (typeof categoryId !== "bigint" || categoryId < Int64.min || categoryId > Int64.max)
    return undefined
  const pet = { name, categoryId: CategoryId.make(categoryId, true) }
  const withStatus =
    status === undefined
      ? pet
      : typeof status === "string" && isPetStatus(status)
        ? { ...pet, status }
        : undefined
  if (id === undefined || withStatus === undefined) return withStatus
  return typeof id === "bigint" && id >= 1n && id <= Int64.max
    ? { id: PetId.make(id, true), ...withStatus }
    : undefined
}
