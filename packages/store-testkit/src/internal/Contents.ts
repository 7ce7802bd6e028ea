/** Filling and reading a whole store through its port. */

import * as ListPets from "@petstore/domain/ListPets"
import type { NewPet, Pet, PetId } from "@petstore/domain/Pet"
import type { PetPage } from "@petstore/domain/PetPage"
import { PetStore } from "@petstore/domain/PetStore"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { expectSame, expectThat, type Mismatch } from "../Mismatch.ts"
import * as Model from "./Model.ts"

/** How many operations the laws have in flight at once. */
export const concurrency = 64

/** Adds the pets, many at once so that a store can batch them, and returns them by ascending id. */
export const addAll = (
  pets: ReadonlyArray<NewPet>
): Effect.Effect<Array<Pet>, StoreUnavailable, PetStore> =>
  Effect.flatMap(PetStore, (store) =>
    Effect.map(Effect.forEach(pets, store.add, { concurrency }), Model.ascending)
  )

/** What a reader does between its reads: it yields and, now and then, lets files and sockets go on, too. */
export const makePause = (): Effect.Effect<void> => {
  let count = 0
  return Effect.suspend(() => (++count % 16 === 0 ? Effect.sleep(0) : Effect.yieldNow()))
}

/** One page. Fails when it does not advance, since reading on would never end. */
export const readPage = (
  query: ListPets.ListPets
): Effect.Effect<PetPage, Mismatch | StoreUnavailable, PetStore> =>
  Effect.gen(function* () {
    const store = yield* PetStore
    const { next, pets } = yield* store.list(query)
    const isFurther = (id: PetId) => query.after === undefined || id > query.after
    const leadsOn = Option.isNone(next) || (pets.length > 0 && isFurther(next.value))
    yield* expectThat(leadsOn && pets.every((pet) => isFurther(pet.id)), {
      what: Model.describe(query),
      expected: "pets and a next further on",
      actual: { next: Option.getOrNull(next), ids: pets.map((pet) => pet.id) }
    })
    return { next, pets }
  })

/** Follows `next` to the last page, yields between pages, and returns all pets. */
export const walk = (
  limit: number,
  parameters?: ListPets.Parameters
): Effect.Effect<Array<Pet>, Mismatch | StoreUnavailable, PetStore> =>
  Effect.gen(function* () {
    const met: Array<Pet> = []
    let after: PetId | undefined
    do {
      const { next, pets } = yield* readPage(Model.query(limit, parameters, after))
      met.push(...pets)
      after = Option.getOrUndefined(next)
      yield* Effect.yieldNow()
    } while (after !== undefined)
    return met
  })

/** The pet with this id, or null when the store fails with `PetNotFound` for this id. */
export const find = (
  store: PetStore["Type"],
  id: PetId
): Effect.Effect<Pet | null, Mismatch | StoreUnavailable> =>
  Effect.catchTag(store.get(id), "PetNotFound", (error) =>
    Effect.as(expectSame(`the id that get(${id}) does not find`, error.id, id), null)
  )

/** Expects a store to have exactly these pets, ascending by id, in `get` and in every list. */
export const expectHolds = (
  pets: ReadonlyArray<Pet>
): Effect.Effect<void, Mismatch | StoreUnavailable, PetStore> =>
  Effect.gen(function* () {
    const store = yield* PetStore
    const expectFound = (pet: Pet) =>
      Effect.flatMap(find(store, pet.id), (found) => expectSame(`get(${pet.id})`, found, pet))
    const expectListed = (parameters: ListPets.Parameters) =>
      Effect.flatMap(walk(100, parameters), (listed) =>
        expectSame(
          `the list of all${ListPets.textOf(parameters)}`,
          listed,
          pets.filter((pet) => ListPets.shows(parameters, pet))
        )
      )
    yield* Effect.forEach(pets, expectFound, { concurrency, discard: true })
    yield* Effect.forEach(Model.selections, expectListed, { concurrency, discard: true })
  })
