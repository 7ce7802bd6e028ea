/**
 * The content of a store as plain data, and its operations as plain functions: the shortest right way to do what
 * `PetStore` asks for. For stores that read and write all of their content at once.
 */
import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { expiredUpTo, type Idempotency, IdempotencyRefused } from "./Idempotency.ts"
import * as Int64 from "./Int64.ts"
import { isSame, type NewPet, Pet, PetId, petOf } from "./Pet.ts"
import type { ListPets, PetPage } from "./PetPage.ts"
import { type Arrival, IdsTaken, PetNotFound } from "./PetStore.ts"
import { StoreUnavailable } from "./StoreUnavailable.ts"

/** All pets by ascending id, and what idempotency keys were used for, and when. */
export const Catalogue = Schema.Struct({
  pets: Schema.Array(Pet),
  used: Schema.Array(Schema.Struct({ key: Schema.String, at: Schema.Number, pet: Pet }))
})
export type Catalogue = typeof Catalogue.Type

/** A catalogue without pets. */
export const empty: Catalogue = { pets: [], used: [] }

/** What a change results in, and the catalogue after it. */
export type Changed<A, E> = Either.Either<readonly [result: A, after: Catalogue], E>

/** `PetStore.add` */
export const add = (before: Catalogue, newPet: NewPet): Changed<Pet, StoreUnavailable> =>
  Either.map(nextPet(newPet, greatestId(before.pets)), (pet) => [
    pet,
    { ...before, pets: [...before.pets, pet] }
  ])

/** `PetStore.addOnce` */
export const addOnce = (
  before: Catalogue,
  newPet: NewPet,
  once: Idempotency
): Changed<Pet, IdempotencyRefused | StoreUnavailable> => {
  const used = before.used.filter(({ at }) => at > expiredUpTo(once.at))
  const known = used.find(({ key }) => key === once.key)
  if (known === undefined) {
    return Either.map(add(before, newPet), ([pet, { pets }]) => [
      pet,
      { pets, used: [...used, { ...once, pet }] }
    ])
  }
  return isSame(known.pet, newPet)
    ? Either.right([known.pet, before])
    : Either.left(new IdempotencyRefused({ reason: "other pet" }))
}

/** `PetStore.addAll` */
export const addAll = (
  before: Catalogue,
  arrivals: Iterable<Arrival>
): Changed<number, IdsTaken | StoreUnavailable> => {
  const ids = new Set(before.pets.map(({ id }) => id))
  return Either.map(
    nextPets(arrivals, greatestId(before.pets), (id) => ids.has(id)),
    (added) => [added.length, { ...before, pets: [...before.pets, ...added].sort(ascending) }]
  )
}

/** `PetStore.get` */
export const get = ({ pets }: Catalogue, id: PetId): Either.Either<Pet, PetNotFound> =>
  Either.fromNullable(
    pets.find((pet) => pet.id === id),
    () => new PetNotFound({ id })
  )

/** `PetStore.list` */
export const list = ({ pets }: Catalogue, { after, limit, status }: ListPets): PetPage => {
  const found = pets.filter(
    (pet) =>
      (after === undefined || pet.id > after) && (status === undefined || pet.status === status)
  )
  const page = found.slice(0, limit)
  return { pets: page, next: Option.fromNullable(found.length > limit ? page.at(-1)?.id : null) }
}

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
    const first = taken.slice(0, mostNamed).map(({ id, place }) => ({ id, place }))
    return Either.left(new IdsTaken({ taken: first, count: taken.length }))
  }
  const kept = withId.map(({ id, pet }) => petOf(id, pet)).sort(ascending)
  const last = kept.at(-1)?.id ?? 0n
  let id = last > greatest ? last : greatest
  return id + BigInt(withoutId.length) > Int64.max
    ? Either.left(full)
    : Either.right([...kept, ...withoutId.map((pet) => petOf(PetId.make(++id, true), pet))])
}

/** The greatest id of pets that ascend; 0 if there are none. */
const greatestId = (pets: ReadonlyArray<Pet>): bigint => pets.at(-1)?.id ?? 0n

/** How many of the taken ids are named. */
const mostNamed = 100

const full = new StoreUnavailable({ reason: "full", cause: new Error("no id is left") })
