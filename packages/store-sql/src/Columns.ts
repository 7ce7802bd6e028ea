/** The columns of the tables of pets and keys, derived from their fields. */
import { fields } from "@petstore/domain/Pet"
import * as KeyRow from "./KeyRow.ts"

/** The columns of fields: `category_id` for `categoryId`. */
export const columnsOf = (names: ReadonlyArray<string>): string =>
  names.join(", ").replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The columns of a pet besides its id, in the order of `fields`. */
export const pet = columnsOf(fields.map(({ name }) => name))

/** The most bytes of a text that is read with others. */
export const maxShortBytes = 1000

/** The same columns, with an empty text, which no pet has, in place of those that are too long to be read with others. */
export const shortPet = fields
  .map(({ isInteger, name }) => {
    const column = columnsOf([name])
    return isInteger
      ? column
      : `CASE WHEN octet_length(${column}) > ${maxShortBytes} THEN '' ELSE ${column} END AS ${column}`
  })
  .join(", ")

/** The columns of a key, in the order of `KeyRow`. */
export const key = columnsOf(KeyRow.names)
