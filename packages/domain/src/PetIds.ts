/** The ids of pets that are added or imported. */

import * as Int64 from "@petstore/kernel/Int64"
import { NoIdLeft, StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import { type NewPet, type Pet, PetId, petOf } from "./Pet.ts"
import { type Arrival, IdsTaken } from "./PetStore.ts"

/** The order of ids. */
export const ascending = (a: Pet, b: Pet): number => (a.id < b.id ? -1 : 1)

/** A new pet with the id after this one. Fails if no id is left. */
export const nextPet = (newPet: NewPet, greatest: bigint): Either.Either<Pet, StoreUnavailable> =>
  // The id is an int64 by construction: checking that again would cost more than the rest.
  greatest < Int64.max
    ? Either.right(petOf(PetId.make(greatest + 1n, true), newPet))
    : Either.left(full)

/**
 * The pets of an import by ascending id: those that arrive with an id keep it, and the others follow all of them, in
 * their order. Fails if an id is taken, in the store or by an earlier arrival, or if there are too few left.
 */
export const nextPets = (
  arrivals: Iterable<Arrival>,
  greatest: bigint,
  isTaken: (id: PetId) => boolean
): Either.Either<ReadonlyArray<Pet>, IdsTaken | StoreUnavailable> => {
  const [withoutId, withId] = Arr.partitionMap(arrivals, ({ pet, place }) =>
    pet.id === undefined ? Either.left(pet) : Either.right({ place, id: pet.id, pet })
  )
  const ids = new Set<PetId>()
  const taken = withId.filter(({ id }) => ids.size === ids.add(id).size || isTaken(id))
  if (taken.length > 0) {
    const first = taken.slice(0, maxNamed).map(({ id, place }) => ({ id, place }))
    return Either.left(new IdsTaken({ taken: first, count: taken.length }))
  }
  const kept = withId.map(({ id, pet }) => petOf(id, pet)).sort(ascending)
  const last = kept.at(-1)?.id ?? 0n
  let id = last > greatest ? last : greatest
  return id + BigInt(withoutId.length) > Int64.max
    ? Either.left(full)
    : Either.right([...kept, ...withoutId.map((pet) => petOf(PetId.make(++id, true), pet))])
}

/** How many of the taken ids are named. */
const maxNamed = 100

const full = new StoreUnavailable({ reason: "full", cause: new NoIdLeft() })
