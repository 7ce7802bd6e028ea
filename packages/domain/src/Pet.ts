/** Pets: their fields, and how they are validated. */
import * as Schema from "effect/Schema"
import { Int64, jsonSchema, max } from "./Int64.ts"
import { PetStatus } from "./PetStatus.ts"

/** The id of a pet. The store assigns it, ascending, and never twice. */
export const PetId = Int64.pipe(Schema.brand("PetId"))
export type PetId = typeof PetId.Type

/** The id of the category that a pet belongs to. */
export const CategoryId = Int64.pipe(Schema.brand("CategoryId"))
export type CategoryId = typeof CategoryId.Type

/** Whether every store can keep this text as it is: no U+0000, no half of a surrogate pair. */
const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0")

/** Any text that every store can keep as it is, except the empty one. */
export const PetName = Schema.String.annotations({ message: () => "must be a string" }).pipe(
  Schema.filter(
    (name) =>
      name === ""
        ? "must not be empty"
        : isStorable(name) || "must not contain U+0000 or lone surrogates",
    { jsonSchema: { minLength: 1, examples: ["Rex"] } }
  ),
  Schema.brand("PetName")
)
export type PetName = typeof PetName.Type

/** Whether a text is a valid name; faster than the schema. */
export const isPetName = (text: string): text is PetName => text !== "" && isStorable(text)

const fields = {
  name: PetName.annotations({
    description:
      "The animal's name: any text but the empty one, of well-formed Unicode without U+0000. It is kept as sent, neither " +
      "trimmed nor normalized. Only the size of the request limits its length."
  }),
  categoryId: CategoryId.annotations({
    jsonSchema: {
      ...jsonSchema,
      description: "The category that the animal belongs to",
      examples: [1]
    }
  }),
  status: Schema.optionalWith(PetStatus, { exact: true })
}

/** A pet to add. A status that is left out stays left out. */
export const NewPet = Schema.Struct(fields).annotations({
  identifier: "NewPet",
  description: "An animal to add"
})
export type NewPet = typeof NewPet.Type

/** A pet of the catalogue. */
export const Pet = Schema.Struct({
  id: PetId.annotations({
    jsonSchema: {
      ...jsonSchema,
      description: "Assigned by the service when the animal is added; unique, never reused",
      examples: [1]
    }
  }),
  ...fields
}).annotations({ identifier: "Pet", description: "An animal of the catalogue" })
export type Pet = typeof Pet.Type

/** The pet with this id and these fields; no other property is copied. */
export const petOf = (
  id: PetId,
  { categoryId, name, status }: Omit<NewPet, "status"> & { readonly status?: PetStatus | undefined }
): Pet => (status === undefined ? { id, name, categoryId } : { id, name, categoryId, status })

/** Whether a pet has exactly these fields. */
export const isSame = (pet: Pet, { categoryId, name, status }: NewPet): boolean =>
  pet.name === name && pet.categoryId === categoryId && pet.status === status

/** A pet to import, with or without an id of its own. */
export const ImportedPet = Schema.Struct({
  id: Schema.optionalWith(
    PetId.pipe(Schema.betweenBigInt(1n, max, { message: () => `must be between 1 and ${max}` })),
    { exact: true }
  ),
  ...fields
})
export type ImportedPet = typeof ImportedPet.Type
