/** A pet as a row of the table `pets`, and back. */
import * as Pet from "@petstore/domain/Pet"
import { isPetStatus } from "@petstore/domain/PetStatus"
import * as PostgresFailure from "./PostgresFailure.ts"

/** The values of `Columns.pet`. */
export type PetValues = [name: string, categoryId: bigint, status: string | null]

/** A row: the id, then the values. */
export type PetRow = [id: bigint, ...PetValues]

/** The values of many pets, as one array for each of `Columns.pet`. */
export const arraysOf = (
  pets: ReadonlyArray<Pet.NewPet>
): ReadonlyArray<ReadonlyArray<unknown>> => [
  pets.map((pet) => pet.name),
  pets.map((pet) => pet.categoryId),
  pets.map((pet) => pet.status)
]

/** The pet in a row. Throws for an invalid row: the database is damaged. */
export const petOf = ([id, name, categoryId, status]: PetRow): Pet.Pet => {
  if (!Pet.isPetName(name) || (status !== null && !isPetStatus(status))) {
    throw PostgresFailure.damaged(`the row of pet ${id} is not a valid pet`)
  }
  return Pet.petOf(Pet.PetId.make(id, true), {
    name,
    categoryId: Pet.CategoryId.make(categoryId, true),
    status: status ?? undefined
  })
}
