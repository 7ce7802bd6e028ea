/** A tiny store that obeys every law, for wrong ones to be made of. */
import { type NewPet, type Pet, PetId } from "@petstore/domain/Pet"
import { PetStore } from "@petstore/domain/PetStore"
import type { Place } from "@petstore/store-testkit/Law"
import { Effect, Layer, Option } from "effect"

export type Store = PetStore["Type"]

/** Where a store keeps its pets, and finds them when it is opened again. */
export type Shelf = Array<Pet>

export const petOf = (id: bigint, { categoryId, name, status }: NewPet): Pet => ({
  id: PetId.make(id),
  name,
  categoryId,
  ...(status === undefined ? {} : { status })
})

/** Ids may begin anywhere and leave gaps. */
export const nextId = (shelf: Shelf): bigint => (shelf.at(-1)?.id ?? -5n) + 3n

export const make = (shelf: Shelf): Store => ({
  add: (newPet) =>
    Effect.sync(() => {
      const pet = petOf(nextId(shelf), newPet)
      shelf.push(pet)
      return pet
    }),
  get: (id) => Effect.sync(() => Option.fromNullable(shelf.find((pet) => pet.id === id))),
  list: ({ after, limit, status }) =>
    Effect.sync(() => {
      const rest = shelf.filter(
        (pet) =>
          (after === undefined || pet.id > after) && (status === undefined || pet.status === status)
      )
      const pets = rest.slice(0, limit)
      const last = Option.fromNullable(pets.at(-1)?.id)
      return { pets, next: Option.filter(last, () => rest.length > limit) }
    })
})

/** A place with a shelf of its own, on which a store of this make can be opened again. */
export const placeOf = (open: (shelf: Shelf) => Store): Place =>
  Effect.sync(() => {
    const shelf: Shelf = []
    return Layer.sync(PetStore, () => open(shelf))
  })

export const place: Place = placeOf(make)
