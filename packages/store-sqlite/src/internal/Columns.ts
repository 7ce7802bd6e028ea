/** The columns of both tables, in the order of rows. Threads load this module, so it imports nothing. */

/** The columns of a pet besides its id, in the order of `PetValues`. */
export const pet = "name, category_id, status"

/** The columns of a key. */
export const key = "id, name, digest, scopes, created, expires, retires, revoked, last_used"

/** A placeholder for each of these columns, by position. */
export const placeholders = (columns: string): string => columns.replaceAll(/\w+/g, "?")

/** A placeholder for each of these columns, by name. */
export const namedPlaceholders = (columns: string): string => columns.replaceAll(/\w+/g, "@$&")
