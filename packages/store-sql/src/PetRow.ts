/** A pet as a row: its id, then one value for each of its fields, in the order of `fields`. */
import { fields, type NewPet, type Pet } from "@petstore/domain/Pet"
import { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"

/** The values of a pet besides its id; null for those that are left out. */
export type Values = ReadonlyArray<string | bigint | null>

/** The id of a pet, then its values. */
export type PetRow = readonly [id: bigint, ...values: Values]

/** The values to write for a pet. */
export const valuesOf = (pet: NewPet): Values => fields.map(({ name }) => pet[name] ?? null)

/** The pet in a row. Throws a failure of the store if a value is invalid. */
export const fromRow = (row: PetRow): Pet => {
  const pet: Record<string, unknown> = { id: row[0] }
  let nth = 0
  for (const { isOptional, isValid, name } of fields) {
    const value = row[++nth]
    if (isValid(value)) pet[name] = value
    else if (!(isOptional && value === null)) {
      const cause = new Error(`the row of pet ${row[0]} is not a valid pet`)
      throw new StoreUnavailable({ reason: "damaged", cause })
    }
  }
  // Each of its fields was checked.
  return pet as Pet
}
