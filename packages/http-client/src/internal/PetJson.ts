/** Pets as JSON, with exact integers. */
import { type NewPet, type Pet, petFields } from "../Pet.ts"
import { fields, int64 } from "./Checks.ts"

/** The JSON text of a pet, or of one to add. */
export const encode = (pet: object): string => {
  const parts = Object.entries(pet).map(
    ([name, value]) => `"${name}":${typeof value === "bigint" ? value : JSON.stringify(value)}`
  )
  return `{${parts}}`
}

/** A pet to add, with its fields in order; throws if one is invalid. */
export const check = (value: unknown, isAnswer = false): NewPet => {
  const given = fields("the pet", value)
  const pet: Record<string, unknown> = {}
  for (const [name, checkField] of Object.entries(petFields)) {
    const checked = checkField(name, given[name], isAnswer)
    if (checked !== undefined) pet[name] = checked
  }
  // Each of its fields was checked.
  return pet as unknown as NewPet
}

/** The pet that a parsed JSON text describes; throws if it is none. */
export const decode = (value: unknown): Pet => {
  const { id } = fields("the answer", value)
  return petOf(int64("id", id), check(value, true))
}

/** The pet with this id, and these fields, which were checked: its category is a `bigint`. */
export const petOf = (id: bigint, pet: NewPet): Pet => ({ id, ...pet }) as Pet
