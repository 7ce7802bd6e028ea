/** A pet as a row of the table `pets`, and back. */
import * as Pet from "@petstore/domain/Pet"
import { isPetStatus } from "@petstore/domain/PetStatus"
import * as SqliteFailure from "./SqliteFailure.ts"

/** The values of `Columns.pet`. */
export type PetValues = readonly [name: string, categoryId: bigint, status: string | null]

/** A row: the id, then the values. */
export type PetRow = readonly [id: bigint, ...PetValues]

/** The values to write for a pet. */
export const valuesOf = (pet: Pet.NewPet): PetValues => [
  pet.name,
  pet.categoryId,
  pet.status ?? null
]

/** The pet in a row. Throws for an invalid row: the file is damaged. */
export const petOf = ([id, name, categoryId, status]: PetRow): Pet.Pet => {
  if (!Pet.isPetName(name) || (status !== null && !isPetStatus(status))) {
    throw SqliteFailure.corrupt(`the row of pet ${id} is not a valid pet`)
  }
  return Pet.petOf(Pet.PetId.make(id, true), {
    name,
    categoryId: Pet.CategoryId.make(categoryId, true),
    status: status ?? undefined
  })
}
