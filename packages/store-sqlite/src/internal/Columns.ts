/** The columns of both tables. Threads get them when they start, since they do not load Effect and its schemas. */
import * as KeyRow from "@petstore/access/KeyRow"
import { fields } from "@petstore/domain/Pet"

/** The columns of fields: `category_id` for `categoryId`. */
const columnsOf = (names: ReadonlyArray<string>): string =>
  names.join(", ").replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The columns of a pet besides its id, in the order of `fields`. */
export const pet = columnsOf(fields.map(({ name }) => name))

/** The columns of a key, in the order of `KeyRow`. */
export const key = columnsOf(KeyRow.names)
