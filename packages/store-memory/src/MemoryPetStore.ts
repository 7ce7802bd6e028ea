/** A store of pets in memory, until the layer is released. */
import * as Direct from "@petstore/direct/Direct"
import * as Idempotency from "@petstore/domain/Idempotency"
import { type AddedOnce, IdempotencyRefused } from "@petstore/domain/Idempotency"
import * as Numbering from "@petstore/domain/Numbering"
import { isSame, type NewPet, Pet, type PetId } from "@petstore/domain/Pet"
import type { PetStatus } from "@petstore/domain/PetStatus"
import { PetNotFound, PetStore } from "@petstore/domain/PetStore"
import type { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Iterable from "effect/Iterable"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

/** All that a store holds: pets by ascending id, and what idempotency keys were used for, the oldest first. */
export const Content = Schema.Struct({
  pets: Schema.Array(Pet),
  used: Schema.Array(Schema.Struct({ key: Schema.String, at: Schema.Number, pet: Pet }))
})
export type Content = typeof Content.Type

/** A store with a copy of this content, and what it holds. For stores that keep it elsewhere, too. */
export const open = ({ pets, used }: Content = { pets: [], used: [] }) => {
  // Every array ascends by id.
  const all: Array<Pet> = []
  const byStatus: Record<PetStatus, Array<Pet>> = { available: [], pending: [], sold: [] }

  // By key, the oldest first.
  const keys = new Map(used.map(({ key, ...use }) => [key, use]))

  const greatestId = (): bigint => all.at(-1)?.id ?? 0n
  const find = (id: PetId): Pet | undefined => {
    const pet = all[countUpTo(all, id) - 1]
    return pet?.id === id ? pet : undefined
  }
  const push = (pet: Pet): Pet => {
    // Frozen, since every reader gets the same object.
    all.push(Object.freeze(pet))
    if (pet.status !== undefined) byStatus[pet.status].push(pet)
    return pet
  }
  const add = (newPet: NewPet) =>
    Exit.map(Exit.fromEither(Numbering.nextPet(newPet, greatestId())), push)
  for (const pet of pets) push(pet)

  const store = PetStore.of({
    add: (newPet) => Direct.sync(() => add(newPet)),

    addOnce: (newPet, { at, key }) =>
      Direct.sync<AddedOnce, IdempotencyRefused | StoreUnavailable>(() => {
        const isExpired = ({ at: usedAt }: { readonly at: number }) =>
          usedAt <= Idempotency.expiredUpTo(at)
        const known = keys.get(key)
        if (known !== undefined && !isExpired(known)) {
          return isSame(known.pet, newPet)
            ? Exit.succeed({ pet: known.pet, isRepeat: true })
            : Exit.fail(otherPet)
        }
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
        const added = yield* Numbering.nextPets(arrivals, greatestId(), isTaken)
        for (const pet of added) push(pet)
        for (const pets of [all, ...Object.values(byStatus)]) pets.sort(Numbering.ascending)
        return added.length
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
        return Exit.succeed({ pets: pets.slice(start, end), next: Option.fromNullable(last?.id) })
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

const otherPet = new IdempotencyRefused()

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
