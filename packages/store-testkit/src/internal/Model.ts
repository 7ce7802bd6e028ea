/** The model of a store: the whole catalogue as an array of pets, in the simplest code. */
import type { Pet, PetId } from "@petstore/domain/Pet"
import { type ListPets, PageLimit, type PetPage } from "@petstore/domain/PetPage"
import { PetStatus } from "@petstore/domain/PetStatus"
import type { Arrival } from "@petstore/domain/PetStore"
import * as Option from "effect/Option"

/** A page in a form that compares and prints well. */
export interface Page {
  readonly pets: ReadonlyArray<Pet>
  readonly next: PetId | null
}

/** Every filter that a list can have: none, and each status. */
export const filters: ReadonlyArray<PetStatus | undefined> = [undefined, ...PetStatus.literals]

/** A query; what is `undefined` is left out of it. */
export const query = (limit: number, status?: PetStatus, after?: PetId): ListPets => ({
  limit: PageLimit.make(limit),
  ...(status === undefined ? {} : { status }),
  ...(after === undefined ? {} : { after })
})

/** The page that a store with these pets, ascending by id, should return. */
export const page = (pets: ReadonlyArray<Pet>, { after, limit, status }: ListPets): Page => {
  const following = pets
    .filter((pet) => after === undefined || pet.id > after)
    .filter((pet) => status === undefined || pet.status === status)
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
export const describe = ({ after, limit, status }: ListPets): string =>
  `the page of at most ${limit}${status === undefined ? "" : ` ${status}`}${after === undefined ? "" : ` after ${after}`}`
