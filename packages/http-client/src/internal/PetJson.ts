/** Pets as JSON, with exact integers. */
import { type NewPet, type Pet, petFields } from "../Pet.ts"
import { checked, int64, optional, text } from "./Checks.ts"

/** A pet to add, with its fields in order; throws if one is invalid. */
export const check = (value: unknown): NewPet =>
  // Each of its fields was checked.
  checked("the pet", petFields, value) as unknown as NewPet

/** Pets of a newer service may have another status. */
const answerFields = { id: int64, ...petFields, status: optional(text) }

/** The pet that a parsed JSON text describes; throws if it is none. */
export const decode = (value: unknown): Pet =>
  // Each of its fields was checked.
  checked("the answer", answerFields, value) as unknown as Pet

/** The pet with this id, and these fields, which were checked: its category is a `bigint`. */
export const petOf = (id: bigint, pet: NewPet): Pet => ({ id, ...pet }) as Pet
