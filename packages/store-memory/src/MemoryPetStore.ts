/** A store of pets in memory, until the layer is released. */

import type { Added } from "@petstore/domain/Idempotency"
import * as ListPets from "@petstore/domain/ListPets"
import { type NewPet, Pet, type PetId } from "@petstore/domain/Pet"
import * as PetIds from "@petstore/domain/PetIds"
import { pageOf } from "@petstore/domain/PetPage"
import { PetNotFound, PetStore } from "@petstore/domain/PetStore"
import * as Direct from "@petstore/kernel/Direct"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Iterable from "effect/Iterable"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

/** All that a store holds: pets by ascending id, and what idempotency keys were used for, the oldest first. */
export const Content = Schema.Struct({
  pets: Schema.Array(Pet),
  used: Schema.Array(Schema.Struct({ key: Schema.String, at: Schema.Number, pet: Pet }))
})
export type Content = typeof Content.Type

/** A store with a copy of this content, and what it holds. Also for stores that keep it elsewhere. */
export const open = ({ pets, used }: Content = { pets: [], used: [] }) => {
  // By ascending id. Frozen, since every reader gets the same objects.
  const all = pets.map((pet) => Object.freeze(pet))
  // By key, the oldest first.
  const keys = new Map(used.map(({ key, ...use }) => [key, use]))

  const greatestId = (): bigint => all.at(-1)?.id ?? 0n
  const find = (id: PetId): Pet | undefined => {
    const pet = all[countUpTo(all, id) - 1]
    return pet?.id === id ? pet : undefined
  }
  const push = (pet: Pet): Pet => {
    all.push(Object.freeze(pet))
    return pet
  }
  const add = (newPet: NewPet) => Exit.map(PetIds.nextPet(newPet, greatestId()), push)

  const store = PetStore.of({
    add: (newPet) => Direct.sync(() => add(newPet)),

    addOnce: (newPet, { at, expiredUpTo, key }) =>
      Direct.sync<Added, StoreUnavailable>(() => {
        const isExpired = (use: { readonly at: number }) => use.at <= expiredUpTo
        const known = keys.get(key)
        if (known !== undefined && !isExpired(known))
          return Exit.succeed({ pet: known.pet, isRepeat: true })
        const added = add(newPet)
        if (Exit.isSuccess(added)) {
          keys.delete(key)
          keys.set(key, { pet: added.value, at })
          // Each new key removes up to two old ones, so they do not pile up.
          for (const [old, used] of Iterable.take(keys, 2)) if (isExpired(used)) keys.delete(old)
        }
        return Exit.map(added, (pet) => ({ pet, isRepeat: false }))
      }),

    addAll: (pets) =>
      Effect.gen(function* () {
        const arrivals = yield* Stream.runCollect(pets)
        const isTaken = (id: PetId) => find(id) !== undefined
        const added = yield* PetIds.nextPets(arrivals, greatestId(), isTaken)
        for (const pet of added) push(pet)
        all.sort(PetIds.ascending)
        return added.length
      }),

    get: (id) =>
      Direct.sync(() => {
        const pet = find(id)
        return pet === undefined ? Exit.fail(new PetNotFound({ id })) : Exit.succeed(pet)
      }),

    list: (query) =>
      Direct.sync(() => {
        const { after, limit } = query
        const filters = ListPets.filtersOf(query)
        const found: Array<Pet> = []
        const start = after === undefined ? 0 : countUpTo(all, after)
        for (let at = start; at < all.length && found.length <= limit; at++) {
          const pet = all[at]
          if (pet !== undefined && filters.every((name) => pet[name] === query[name]))
            found.push(pet)
        }
        return Exit.succeed(pageOf(found, limit, identity))
      })
  })
  const content = (): Content => ({
    pets: [...all],
    used: Array.from(keys, ([key, use]) => ({ key, ...use }))
  })
  return { store, content }
}

/** A new, empty store. */
export const make: Effect.Effect<PetStore["Type"]> = Effect.sync(() => open().store)

/** A new, empty store each time it is built. */
export const layer: Layer.Layer<PetStore> = Layer.effect(PetStore, make)

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
