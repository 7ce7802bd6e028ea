/** What a list is asked for. */
import * as Struct from "effect/Struct"
import { fields, type NewPet, type PetId } from "./Pet.ts"
import type { PageLimit } from "./PetPage.ts"
import { PetStatus } from "./PetStatus.ts"

/**
 * The one list of the parameters of a list besides its limit and its start. One with the name of a field is a filter, which
 * shows only pets with that value. Stores, links, cursors, caches and the laws derive what they need from here.
 */
export const parameters = { status: PetStatus }

/** The values of the parameters; what is left out shows all pets. */
export type Parameters = {
  readonly [Name in keyof typeof parameters]?: (typeof parameters)[Name]["Type"]
}

/** Which pets to list: those that the parameters show, after an id or from the first. */
export interface ListPets extends Parameters {
  readonly limit: PageLimit
  readonly after?: PetId
}

/** The name of a filter. */
export type Filter = keyof Parameters & keyof NewPet

/** The filters, in the order of the fields. */
export const filters: ReadonlyArray<Filter> = fields
  .map(({ name }) => name)
  .filter((name): name is Filter => name in parameters)

/** The filters that a query has. */
export const filtersOf = (query: Parameters): ReadonlyArray<Filter> =>
  filters.filter((name) => query[name] !== undefined)

/** Whether a list shows this pet, wherever its page begins. */
export const shows = (query: Parameters, pet: NewPet): boolean =>
  filtersOf(query).every((name) => query[name] === pet[name])

const names = Struct.keys(parameters)

/** The parameters as in a link, such as `&status=sold`: the same for lists that show the same pets, and for no others. */
export const textOf = (query: Parameters): string => {
  let text = ""
  for (const name of names) {
    const value = query[name]
    if (value !== undefined) text += `&${name}=${encodeURIComponent(String(value))}`
  }
  return text
}

/** Identifies a query: different ones have different keys. */
export const keyOf = (query: ListPets): string =>
  `${query.limit} ${query.after ?? ""} ${textOf(query)}`
