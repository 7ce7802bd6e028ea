/** A tiny store that obeys every law, for wrong ones to be made of. */
import { shows } from "@petstore/domain/ListPets"
import * as Domain from "@petstore/domain/Pet"
import { type ImportedPet, type NewPet, type Pet, PetId } from "@petstore/domain/Pet"
import { pageOf } from "@petstore/domain/PetPage"
import { type Arrival, IdsTaken, PetNotFound, PetStore } from "@petstore/domain/PetStore"
import * as Int64 from "@petstore/kernel/Int64"
import { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import type { Place } from "@petstore/store-testkit/Law"
import { Chunk, Effect, identity, Layer, Stream } from "effect"

export type Store = PetStore["Type"]

/** Where a store keeps its pets, and finds them when it is opened again. */
export type Shelf = Array<Pet>

export const petOf = (id: bigint, pet: NewPet): Pet => Domain.petOf(PetId.make(id), pet)

const gap = 3n

/** Ids may begin anywhere and leave gaps. */
export const nextId = (shelf: Shelf): bigint => (shelf.at(-1)?.id ?? -5n) + gap

/** The arrivals whose ids others have, on the shelf or before them. */
export const takenOf = (shelf: Shelf, arrivals: ReadonlyArray<Arrival>): IdsTaken["taken"] => {
  const ids = new Set(shelf.map((pet) => pet.id))
  return arrivals.flatMap(({ pet: { id }, place }) => {
    if (id === undefined || ids.size < ids.add(id).size) return []
    return [{ place, id }]
  })
}

/** Puts pets with their ids in their places, and the others at the end. */
export const settle = (shelf: Shelf, pets: ReadonlyArray<ImportedPet>): void => {
  for (const pet of pets) if (pet.id !== undefined) shelf.push(petOf(pet.id, pet))
  shelf.sort((a, b) => (a.id < b.id ? -1 : 1))
  for (const pet of pets) if (pet.id === undefined) shelf.push(petOf(nextId(shelf), pet))
}

const full = new StoreUnavailable({ reason: "full" })

/** Whether there is an id for each of the pets that bring none. */
const hasRoom = (shelf: Shelf, pets: ReadonlyArray<ImportedPet>): boolean => {
  const brought = pets.filter(({ id }) => id !== undefined)
  const others = BigInt(pets.length - brought.length)
  const settled = [...shelf]
  settle(settled, brought)
  return others === 0n || nextId(settled) + (others - 1n) * gap <= Int64.max
}

/** Brings in all or, when any id is taken or too few are left, none. */
export const bring = (shelf: Shelf, arrivals: ReadonlyArray<Arrival>) =>
  Effect.suspend((): Effect.Effect<number, IdsTaken | StoreUnavailable> => {
    const taken = takenOf(shelf, arrivals)
    if (taken.length > 0) return new IdsTaken({ taken: taken.slice(0, 100), count: taken.length })
    const pets = arrivals.map(({ pet }) => pet)
    if (!hasRoom(shelf, pets)) return full
    settle(shelf, pets)
    return Effect.succeed(arrivals.length)
  })

/** What each key was used for, and when. */
export type Keys = Map<string, { readonly pet: Pet; readonly at: number }>

const keysOfShelves = new WeakMap<Shelf, Keys>()

/** The keys that are kept beside a shelf. */
export const keysOf = (shelf: Shelf): Keys => {
  const keys: Keys = keysOfShelves.get(shelf) ?? new Map()
  keysOfShelves.set(shelf, keys)
  return keys
}

export const add = (shelf: Shelf, newPet: NewPet): Effect.Effect<Pet, StoreUnavailable> =>
  Effect.suspend(() => {
    if (nextId(shelf) > Int64.max) return full
    const pet = petOf(nextId(shelf), newPet)
    shelf.push(pet)
    return Effect.succeed(pet)
  })

/** Adds with keys that are kept here, after the pet was added like this. */
export const addOnceWith =
  (keys: Keys, add: Store["add"]): Store["addOnce"] =>
  (newPet, { at, expiredUpTo, key }) =>
    Effect.suspend((): ReturnType<Store["addOnce"]> => {
      const known = keys.get(key)
      if (known === undefined || known.at <= expiredUpTo) {
        return Effect.map(add(newPet), (pet) => {
          keys.set(key, { pet, at })
          return { pet, isRepeat: false }
        })
      }
      return Effect.succeed({ pet: known.pet, isRepeat: true })
    })

export const make = (shelf: Shelf): Store => ({
  add: (newPet) => add(shelf, newPet),
  addOnce: addOnceWith(keysOf(shelf), (newPet) => add(shelf, newPet)),
  addAll: (pets) =>
    Effect.flatMap(Stream.runCollect(pets), (chunk) => bring(shelf, Chunk.toReadonlyArray(chunk))),
  get: (id) =>
    Effect.suspend(() => {
      const pet = shelf.find((pet) => pet.id === id)
      return pet === undefined ? new PetNotFound({ id }) : Effect.succeed(pet)
    }),
  list: ({ after, limit, ...parameters }) =>
    Effect.sync(() => {
      const rest = shelf.filter(
        (pet) => (after === undefined || pet.id > after) && shows(parameters, pet)
      )
      return pageOf(rest, limit, identity)
    })
})

/** A place with a shelf of its own, on which a store of this make can be opened again. */
export const placeOf = (open: (shelf: Shelf) => Store): Place =>
  Effect.sync(() => {
    const shelf: Shelf = []
    return Layer.sync(PetStore, () => open(shelf))
  })

export const place: Place = placeOf(make)
