/** Pets as rows of the table `pets`, and back. */
import { fields, fromRow, type NewPet, type Pet, type Row } from "@petstore/domain/Pet"
import * as PostgresFailure from "./PostgresFailure.ts"
import * as Statement from "./Statement.ts"

/** The columns of a pet besides its id. */
export const columns = Statement.columnsOf(fields.map(({ name }) => name))

/** A parameter for each of these columns, from this number on: an array of the values of many pets. */
export const arrays = (first: number): string =>
  fields
    .map(({ isInteger }, nth) => `$${first + nth}::${isInteger ? "bigint" : "text"}[]`)
    .join(", ")

/** The values of these parameters. */
export const arraysOf = (pets: ReadonlyArray<NewPet>): ReadonlyArray<ReadonlyArray<unknown>> =>
  fields.map(({ name }) => pets.map((pet) => pet[name]))

/** The pet in a row. Throws for an invalid row: the database is damaged. */
export const petOf = (row: Row): Pet => {
  const pet = fromRow(row)
  if (pet === undefined) {
    throw PostgresFailure.damaged(`the row of pet ${row[0]} is not a valid pet`)
  }
  return pet
}
