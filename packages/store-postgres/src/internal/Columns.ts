/** The columns of both tables, in the order of rows. */

/** The columns of a pet besides its id and their types, in the order of `PetValues`. */
const petTypes = { name: "text", category_id: "bigint", status: "text" }

/** The columns of a pet besides its id. */
export const pet = Object.keys(petTypes).join(", ")

/** An array for each of these columns, as parameters of a statement from this number on. */
export const petArrays = (first: number): string =>
  Object.values(petTypes)
    .map((type, nth) => `$${first + nth}::${type}[]`)
    .join(", ")

/** The columns of a key, in the order of `KeyRow`. */
export const key = "id, name, digest, scopes, created, expires, retires, revoked, last_used"

/** The same columns, each with the name of its table. */
export const of = (table: string, columns: string): string =>
  columns.replaceAll(/\w+/g, `${table}.$&`)
