/** The ids of pets that are added or imported. */

import * as Int64 from "@petstore/kernel/Int64"
import { NoIdLeft, StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Exit from "effect/Exit"
import { type NewPet, type Pet, PetId, petOf } from "./Pet.ts"
import { type Arrival, IdsTaken } from "./PetStore.ts"

/** The order of ids. */
export const ascending = (a: Pet, b: Pet): number => (a.id < b.id ? -1 : 1)

/** A new pet with the id after this one. Fails if no id is left. */
export const nextPet = (newPet: NewPet, greatest: bigint): Exit.Exit<Pet, StoreUnavailable> =>
  // The id is an int64 by construction: checking that again would cost more than the rest.
  greatest < Int64.max
    ? Exit.succeed(petOf(PetId.make(greatest + 1n, true), newPet))
    : Exit.fail(full)

/**
 * The pets of an import by ascending id: those that arrive with an id keep it, and the others follow all of them, in
 * their order. Fails if an id is taken, in the store or by an earlier arrival, or if there are too few left.
 */
export const nextPets = (
  arrivals: Iterable<Arrival>,
  greatest: bigint,
  isTaken: (id: PetId) => boolean
): Exit.Exit<ReadonlyArray<Pet>, IdsTaken | StoreUnavailable> => {
  const given = [...arrivals]
  const withoutId = given.filter(({ pet }) => pet.id === undefined)
  const withId = given.flatMap(({ pet, place }) =>
    pet.id === undefined ? [] : [{ place, id: pet.id, pet }]
  )
  const ids = new Set<PetId>()
  const taken = withId.filter(({ id }) => ids.size === ids.add(id).size || isTaken(id))
  if (taken.length > 0) {
    const first = taken.slice(0, maxNamed).map(({ id, place }) => ({ id, place }))
    return Exit.fail(new IdsTaken({ taken: first, count: taken.length }))
  }
  const kept = withId.map(({ id, pet }) => petOf(id, pet)).sort(ascending)
  const last = kept.at(-1)?.id ?? 0n
  let id = last > greatest ? last : greatest
  return id + BigInt(withoutId.length) > Int64.max
    ? Exit.fail(full)
    : Exit.succeed([...kept, ...withoutId.map(({ pet }) => petOf(PetId.make(++id, true), pet))])
}

/** How many of the taken ids are named. */
const maxNamed = 100

const full = new StoreUnavailable({ reason: "full", cause: new NoIdLeft() })
