/** The animals of the catalogue. */
import * as Schema from "effect/Schema"
import { Int64, jsonSchema, max } from "./Int64.ts"
import { PetStatus } from "./PetStatus.ts"

/** Names one animal. The store assigns it, ascending, and never twice. */
export const PetId = Int64.pipe(Schema.brand("PetId"))
/** Names one animal. */
export type PetId = typeof PetId.Type

/** Names the category that an animal belongs to. */
export const CategoryId = Int64.pipe(Schema.brand("CategoryId"))
/** Names the category that an animal belongs to. */
export type CategoryId = typeof CategoryId.Type

/** Whether every store can keep this text as it is: no U+0000, no half of a surrogate pair. */
const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0")

/** Any text that every store can keep as it is, but not none at all. */
export const PetName = Schema.String.annotations({ message: () => "must be a string" }).pipe(
  Schema.filter(
    (name) =>
      name === ""
        ? "must not be empty"
        : isStorable(name) || "must not contain U+0000 or lone surrogates",
    { jsonSchema: { minLength: 1 } }
  ),
  Schema.brand("PetName")
)
/** An animal's name. */
export type PetName = typeof PetName.Type

/** Whether a text is a name, for adapters that read many. */
export const isPetName = (text: string): text is PetName => text !== "" && isStorable(text)

const fields = {
  name: PetName.annotations({ description: "The animal's name" }),
  categoryId: CategoryId.annotations({
    jsonSchema: { ...jsonSchema, description: "The category that the animal belongs to" }
  }),
  status: Schema.optionalWith(PetStatus, { exact: true })
}

/** An animal as a caller describes it. A status that is left out stays left out. */
export const NewPet = Schema.Struct(fields).annotations({
  identifier: "NewPet",
  description: "An animal to add"
})
/** An animal as a caller describes it. */
export type NewPet = typeof NewPet.Type

/** An animal of the catalogue. */
export const Pet = Schema.Struct({
  id: PetId.annotations({
    jsonSchema: { ...jsonSchema, description: "Assigned by the service when the animal is added" }
  }),
  ...fields
}).annotations({ identifier: "Pet", description: "An animal of the catalogue" })
/** An animal of the catalogue. */
export type Pet = typeof Pet.Type

/** The pet with this id and these fields; no other property is copied. */
export const petOf = (
  id: PetId,
  { categoryId, name, status }: Omit<NewPet, "status"> & { readonly status?: PetStatus | undefined }
): Pet => (status === undefined ? { id, name, categoryId } : { id, name, categoryId, status })

/** An animal from elsewhere, perhaps with the id that it had there. */
export const ImportedPet = Schema.Struct({
  id: Schema.optionalWith(
    PetId.pipe(Schema.betweenBigInt(1n, max, { message: () => `must be between 1 and ${max}` })),
    { exact: true }
  ),
  ...fields
})
/** An animal from elsewhere, perhaps with the id that it had there. */
export type ImportedPet = typeof ImportedPet.Type
