/** The columns of both tables, in the order of rows. */

/** The columns of a pet besides its id, in the order of `PetValues`. */
export const pet = "name, category_id, status"

/** The arrays of these columns that a statement takes, from this placeholder on. */
export const petArrays = (first: number): string =>
  petTypes.map((type, nth) => `$${first + nth}::${type}[]`).join(", ")

const petTypes = ["text", "bigint", "text"]

/** The columns of a key, in the order of `KeyRow`. */
export const key = "id, name, digest, scopes, created, expires, retires, revoked, last_used"
