/** Pets: their fields, and how they are validated. */

import { Int64, jsonSchema, max } from "@petstore/kernel/Int64"
import * as Arr from "effect/Array"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import * as Struct from "effect/Struct"
import { PetStatus } from "./PetStatus.ts"

/** The id of a pet. The store assigns it, ascending, and never twice. */
export const PetId = Int64.pipe(Schema.brand("PetId"))
export type PetId = typeof PetId.Type

/** The id of the category that a pet belongs to. */
export const CategoryId = Int64.pipe(Schema.brand("CategoryId"))
export type CategoryId = typeof CategoryId.Type

/** The greatest number of characters in the name of a pet that is added or imported: Unicode code points, as in JSON Schema. */
export const maxNameLength = 1000

const isShort = (name: string): boolean =>
  name.length <= maxNameLength ||
  (name.length <= 2 * maxNameLength && Array.from(name).length <= maxNameLength)

/** Whether every store can keep a text as it is. */
const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0")

/** The same for JSON Schema, with and without the flag `u`: without it, a pair of surrogates is two characters. */
const pattern = "^(?:[^\\x00\\uD800-\\uDFFF]|[\\uD800-\\uDBFF][\\uDC00-\\uDFFF])+$"

// Samples by the pattern would be slow.
const arbitrary: Schema.Annotations.Filter<string>["arbitrary"] = () => (fc) =>
  fc.string({ minLength: 1 })

const AnyName = Schema.String.annotations({ message: () => "must be a string" }).pipe(
  Schema.filter(
    (text) =>
      text === ""
        ? "must not be empty"
        : isStorable(text) || "must not contain U+0000 or lone surrogates",
    { jsonSchema: { minLength: 1, pattern }, arbitrary, examples: ["Rex"] }
  )
)

/** The name of a pet to add. A pet that was added before there was a limit may have a longer one. */
export const PetName = AnyName.pipe(
  Schema.filter((name) => isShort(name) || "must have at most 1,000 characters", {
    jsonSchema: { maxLength: maxNameLength },
    arbitrary
  }),
  Schema.brand("PetName")
)
export type PetName = typeof PetName.Type

const description =
  "The pet's name: any text but the empty one, of well-formed Unicode without U+0000. It is kept as sent, neither " +
  "trimmed nor normalized."

/** The one list of the fields of a pet: whatever has a pet's fields derives them from here. */
const schemas = {
  name: PetName.annotations({ description: `${description} It has at most 1,000 characters.` }),
  categoryId: CategoryId.annotations({
    jsonSchema: {
      ...jsonSchema,
      description: "The category that the pet belongs to",
      examples: [1]
    }
  }),
  status: Schema.optionalWith(PetStatus, { exact: true })
}

/** A pet to add. A status that is left out stays left out. */
export const NewPet = Schema.Struct(schemas).annotations({
  identifier: "NewPet",
  description: "A pet to add"
})
export type NewPet = typeof NewPet.Type

/** A pet of the catalogue. It never changes: stores and transports keep what they derive from one. */
export const Pet = Schema.Struct({
  id: PetId.annotations({
    jsonSchema: {
      ...jsonSchema,
      description: "Assigned by the service when the pet is added; unique, never reused",
      examples: [1]
    }
  }),
  ...schemas,
  name: AnyName.annotations({ description }).pipe(Schema.brand("PetName"))
}).annotations({ identifier: "Pet", description: "A pet of the catalogue" })
export type Pet = typeof Pet.Type

const statuses: ReadonlySet<unknown> = new Set(PetStatus.literals)

/** Whether a value that a store has read is one of the field; faster than the schema. */
const checks: { readonly [Name in keyof NewPet]-?: (value: unknown) => boolean } = {
  name: (value) => typeof value === "string" && value !== "" && isStorable(value),
  categoryId: Predicate.isBigInt,
  status: (value) => statuses.has(value)
}

/** A field of a pet besides its id. */
export interface Field {
  readonly name: keyof NewPet
  readonly isOptional: boolean
  /** Whether its values are a `bigint`; others are a `string`. */
  readonly isInteger: boolean
  /** Whether a value is valid; faster than the schema. */
  readonly isValid: (value: unknown) => boolean
}

/** The fields of a pet besides its id, in the order of the schema. */
export const fields: ReadonlyArray<Field> = Arr.zipWith(
  Struct.keys(schemas),
  AST.getPropertySignatures(AST.typeAST(NewPet.ast)),
  (name, { isOptional, type }) => {
    const isInteger = AST.isBigIntKeyword(AST.encodedAST(type))
    return { name, isOptional, isInteger, isValid: checks[name] }
  }
)

/** The pet with this id and these fields; no other property is copied. */
export const petOf = (id: PetId, given: NewPet): Pet => {
  const pet: Record<string, unknown> = { id }
  for (const { name } of fields) if (given[name] !== undefined) pet[name] = given[name]
  // It has every field that the given one has.
  return pet as Pet
}

/** Whether a pet has exactly these fields. */
export const isSame = (pet: Pet, other: NewPet): boolean =>
  fields.every(({ name }) => pet[name] === other[name])

/** A pet to import, with or without an id of its own. */
export const ImportedPet = Schema.Struct({
  id: Schema.optionalWith(
    PetId.pipe(Schema.betweenBigInt(1n, max, { message: () => `must be between 1 and ${max}` })),
    { exact: true }
  ),
  ...schemas
})
export type ImportedPet = typeof ImportedPet.Type
