/** The columns of the tables of pets and keys, derived from their fields. */
import { fields } from "@petstore/domain/Pet"
import * as KeyRow from "./KeyRow.ts"

/** The columns of fields: `category_id` for `categoryId`. */
export const columnsOf = (names: ReadonlyArray<string>): string =>
  names.join(", ").replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The columns of a pet besides its id, in the order of `fields`. */
export const pet = columnsOf(fields.map(({ name }) => name))

/** The columns of a key, in the order of `KeyRow`. */
export const key = columnsOf(KeyRow.names)
