/** A store of pets in memory, until the layer is released. */
import * as Direct from "@petstore/direct/Direct"
import * as Int64 from "@petstore/domain/Int64"
import { type NewPet, type Pet, PetId, petOf } from "@petstore/domain/Pet"
import type { PetStatus } from "@petstore/domain/PetStatus"
import { IdsTaken, PetNotFound, PetStore } from "@petstore/domain/PetStore"
import { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/** A new, empty store. */
export const make: Effect.Effect<PetStore["Type"]> = Effect.sync(() => {
  // Every array ascends by id.
  const all: Array<Pet> = []
  const byStatus: Record<PetStatus, Array<Pet>> = { available: [], pending: [], sold: [] }

  const greatestId = (): bigint => all.at(-1)?.id ?? 0n
  const find = (id: PetId): Pet | undefined => {
    const pet = all[countUpTo(all, id) - 1]
    return pet?.id === id ? pet : undefined
  }
  const push = (id: bigint, newPet: NewPet): Pet => {
    // The id is an int64 by construction: checking that again would cost more than the rest.
    // Frozen, since every reader gets the same object.
    const pet = Object.freeze(petOf(PetId.make(id, true), newPet))
    all.push(pet)
    if (pet.status !== undefined) byStatus[pet.status].push(pet)
    return pet
  }

  return PetStore.of({
    add: (newPet) =>
      Direct.sync(() => {
        const greatest = greatestId()
        return greatest < Int64.max ? Exit.succeed(push(greatest + 1n, newPet)) : Exit.fail(full)
      }),

    addAll: (pets) =>
      Effect.gen(function* () {
        const arrivals = yield* Stream.runCollect(pets)
        const [withoutId, withId] = Arr.partitionMap(arrivals, ({ pet, place }) =>
          pet.id === undefined ? Either.left(pet) : Either.right({ place, id: pet.id, pet })
        )
        // By pets of the store or by earlier arrivals.
        const seen = new Set<PetId>()
        const taken = withId.filter(({ id }) => {
          const isTaken = seen.has(id) || find(id) !== undefined
          seen.add(id)
          return isTaken
        })
        if (taken.length > 0) {
          const first = taken.slice(0, 100).map(({ id, place }) => ({ id, place }))
          return yield* new IdsTaken({ taken: first, count: taken.length })
        }
        let greatest = greatestId()
        for (const { id } of withId) if (id > greatest) greatest = id
        if (greatest + BigInt(withoutId.length) > Int64.max) return yield* full
        for (const { id, pet } of withId) push(id, pet)
        for (const pets of [all, ...Object.values(byStatus)]) pets.sort(ascending)
        for (const pet of withoutId) push(greatestId() + 1n, pet)
        return arrivals.length
      }),

    get: (id) =>
      Direct.sync(() => {
        const pet = find(id)
        return pet === undefined ? Exit.fail(new PetNotFound({ id })) : Exit.succeed(pet)
      }),

    list: ({ after, limit, status }) =>
      Direct.sync(() => {
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

/** A new, empty store each time it is built. */
export const layer: Layer.Layer<PetStore> = Layer.effect(PetStore, make)

const full = new StoreUnavailable({ reason: "full", cause: new Error("no id is left") })

const ascending = (a: Pet, b: Pet): number => (a.id < b.id ? -1 : 1)

/** How many of these pets, ascending by id, have an id of at most this. */
const countUpTo = (pets: ReadonlyArray<Pet>, id: bigint): number => {
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
