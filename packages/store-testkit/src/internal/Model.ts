/** The model of a store: the whole catalogue as an array of pets, in the simplest code. */

import * as ListPets from "@petstore/domain/ListPets"
import type { Pet, PetId } from "@petstore/domain/Pet"
import { PageLimit, type PetPage } from "@petstore/domain/PetPage"
import type { Arrival } from "@petstore/domain/PetStore"
import * as Arbitrary from "effect/Arbitrary"
import * as Arr from "effect/Array"
import * as fc from "effect/FastCheck"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { variousPets } from "./Samples.ts"

/** A page in a form that compares and prints well. */
export interface Page {
  readonly pets: ReadonlyArray<Pet>
  readonly next: PetId | null
}

const checked = Schema.decodeUnknownSync(
  Schema.typeSchema(Schema.partialWith(Schema.Struct(ListPets.parameters), { exact: true }))
)

/** Values of a parameter: some that pets have if it is a filter, else any. */
const valuesOf = (name: keyof ListPets.Parameters): ReadonlyArray<ListPets.Parameters> => {
  const pets: ReadonlyArray<Readonly<Record<string, unknown>>> = variousPets(8)
  const had = pets.flatMap((pet) => pet[name] ?? [])
  const schema = Schema.typeSchema(Schema.make<unknown>(ListPets.parameters[name].ast))
  const any = had.length > 0 ? had : fc.sample(Arbitrary.make(schema), { numRuns: 20, seed: 1 })
  return Arr.take(new Set(any), 3).map((value) => checked({ [name]: value }))
}

/** The parameters of lists: none, and values of each, alone and together with those of others. */
export const selections: ReadonlyArray<ListPets.Parameters> = Arr.reduce(
  Struct.keys(ListPets.parameters),
  Arr.of<ListPets.Parameters>({}),
  (chosen, name) =>
    Arr.flatMap(chosen, (one) => [one, ...valuesOf(name).map((value) => ({ ...one, ...value }))])
)

/** A query. */
export const query = (
  limit: number,
  parameters: ListPets.Parameters = {},
  after?: PetId
): ListPets.ListPets => ({
  limit: PageLimit.make(limit),
  ...parameters,
  ...(after === undefined ? {} : { after })
})

/** The page that a store with these pets, ascending by id, should return. */
export const page = (pets: ReadonlyArray<Pet>, query: ListPets.ListPets): Page => {
  const { after, limit } = query
  const following = pets
    .filter((pet) => after === undefined || pet.id > after)
    .filter((pet) => ListPets.shows(query, pet))
  const first = following.slice(0, limit)
  return {
    pets: first,
    next: following.length > first.length ? (first.at(-1)?.id ?? null) : null
  }
}

/** The page that a store returned. */
export const pageOf = ({ next, pets }: PetPage): Page => ({ pets, next: Option.getOrNull(next) })

/** The pets in the order of their ids. */
export const ascending = (pets: ReadonlyArray<Pet>): Array<Pet> =>
  pets.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))

/** The arrivals that a store of these pets should refuse: all but the first with an id. */
export const taken = (pets: ReadonlyArray<Pet>, arrivals: ReadonlyArray<Arrival>) => {
  const ids = new Set(pets.map((pet) => pet.id))
  return arrivals.flatMap(({ pet: { id }, place }) => {
    if (id === undefined) return []
    const isTaken = ids.has(id)
    ids.add(id)
    return isTaken ? [{ place, id }] : []
  })
}

/** A query in words. */
export const describe = ({ after, limit, ...parameters }: ListPets.ListPets): string =>
  `the page of at most ${limit}${ListPets.textOf(parameters)}${after === undefined ? "" : ` after ${after}`}`
