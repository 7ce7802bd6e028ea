/** Keeps the animals in memory, for as long as the layer lives. */
import * as Immediate from "@petstore/domain/Immediate"
import { type NewPet, type Pet, PetId } from "@petstore/domain/Pet"
import type { PetStatus } from "@petstore/domain/PetStatus"
import { PetStore } from "@petstore/domain/PetStore"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

/** A new, empty store. */
export const make: Effect.Effect<PetStore["Type"]> = Effect.sync(() => {
  // Nothing is ever taken out, so the pet with id n is at n - 1, and every array ascends by id.
  const all: Array<Pet> = []
  const byStatus: Record<PetStatus, Array<Pet>> = { available: [], pending: [], sold: [] }

  return PetStore.of({
    add: (newPet) =>
      Immediate.make(() => {
        // The id is an int64 by construction: checking that again would cost more than the rest.
        const pet = petOf(PetId.make(BigInt(all.length + 1), true), newPet)
        all.push(pet)
        if (pet.status !== undefined) byStatus[pet.status].push(pet)
        return Exit.succeed(pet)
      }),

    get: (id) => Immediate.make(() => Exit.succeed(Option.fromNullable(all[Number(id) - 1]))),

    list: ({ after, limit, status }) =>
      Immediate.make(() => {
        const pets = status === undefined ? all : byStatus[status]
        const start = after === undefined ? 0 : countUpTo(pets, after)
        const end = start + limit
        const last = end < pets.length ? pets[end - 1] : undefined
        return Exit.succeed({
          pets: pets.slice(start, end),
          next: last === undefined ? Option.none() : Option.some(last.id)
        })
      })
  })
})

/** A store of its own for everyone who builds it. */
export const layer: Layer.Layer<PetStore> = Layer.effect(PetStore, make)

/** Frozen, since the same value is handed to every reader. */
const petOf = (id: PetId, { categoryId, name, status }: NewPet): Pet =>
  Object.freeze(status === undefined ? { id, name, categoryId } : { id, name, categoryId, status })

/** How many of these pets, ascending by id, have an id of at most this. */
const countUpTo = (pets: ReadonlyArray<Pet>, id: PetId): number => {
  let low = 0
  let high = pets.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const pet = pets[middle]
    if (pet !== undefined && pet.id <= id) low = middle + 1
    else high = middle
  }
  return low
}
