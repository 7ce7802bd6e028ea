/** Statements and their parts. */
import { fields, type NewPet } from "@petstore/domain/Pet"

/** A statement. Each connection parses one that has a name only once. */
export type Statement = string | Prepared

interface Prepared {
  readonly name?: string
  readonly text: string
  /** How long it may go without an answer, in milliseconds, if not as long as others. */
  readonly answerMillis?: number
}

/** These columns, each with the name of its table. */
export const columnsIn = (table: string, columns: string): string =>
  columns.replaceAll(/\w+/g, `${table}.$&`)

/** A parameter for each of the columns of pets, from this number on: an array of the values of many pets. */
export const arrays = (first: number): string =>
  fields
    .map(({ isInteger }, nth) => `$${first + nth}::${isInteger ? "bigint" : "text"}[]`)
    .join(", ")

/** The values of these parameters. */
export const arraysOf = (pets: ReadonlyArray<NewPet>): ReadonlyArray<ReadonlyArray<unknown>> =>
  fields.map(({ name }) => pets.map((pet) => pet[name]))
