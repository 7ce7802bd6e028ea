/** The columns of both tables. Threads get them when they start, since they do not load Effect and its schemas. */
import * as KeyRow from "@petstore/access/KeyRow"
import { columnsOf } from "@petstore/domain/Pet"

/** The columns of a pet besides its id. */
export { columns as pet } from "@petstore/domain/Pet"

/** The columns of a key, in the order of `KeyRow`. */
export const key = columnsOf(KeyRow.names)
