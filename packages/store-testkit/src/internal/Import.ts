/** Importing pets through the port, and checking the outcome. */
import type { ImportedPet, Pet, PetId } from "@petstore/domain/Pet"
import { type Arrival, IdsTaken, PetStore } from "@petstore/domain/PetStore"
import { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { expectSame, expectThat, type Mismatch } from "../Mismatch.ts"
import { expectHolds, walk } from "./Contents.ts"
import * as Model from "./Model.ts"

/** The outcome of an import, in a form that compares and prints well. */
export type Outcome =
  | { readonly added: number }
  | { readonly taken: IdsTaken["taken"]; readonly count: number }
  | { readonly failed: unknown }

/** The pets with their places, which ascend but do not count them. */
export const arrivals = (pets: ReadonlyArray<ImportedPet>): ReadonlyArray<Arrival> =>
  pets.map((pet, nth) => ({ place: 3 * nth + 7, pet }))

/** The pets as a stream of one chunk. */
export const streamOf = (pets: ReadonlyArray<ImportedPet>): Stream.Stream<Arrival> =>
  Stream.fromIterable(arrivals(pets))

/** Imports the pets and returns the outcome. */
export const outcome = <E>(
  pets: Stream.Stream<Arrival, E>
): Effect.Effect<Outcome, StoreUnavailable, PetStore> =>
  Effect.flatMap(PetStore, (store) => outcomeOf(store.addAll(pets)))

/** The outcome of an import; fails only when the store is unavailable. */
export const outcomeOf = <E>(
  addAll: Effect.Effect<number, E | IdsTaken | StoreUnavailable>
): Effect.Effect<Outcome, StoreUnavailable> =>
  addAll.pipe(
    Effect.map((added): Outcome => ({ added })),
    Effect.catchAll((error): Effect.Effect<Outcome, StoreUnavailable> => {
      if (error instanceof StoreUnavailable) return Effect.fail(error)
      if (!(error instanceof IdsTaken)) return Effect.succeed({ failed: error })
      return Effect.succeed({ taken: error.taken, count: error.count })
    })
  )

/** Imports pets into a store that has others, and returns all that it should have, ascending by id. */
export const importInto = (
  before: ReadonlyArray<Pet>,
  pets: ReadonlyArray<ImportedPet>,
  stream: Stream.Stream<Arrival> = streamOf(pets)
): Effect.Effect<Array<Pet>, Mismatch | StoreUnavailable, PetStore> =>
  Effect.gen(function* () {
    yield* expectSame("the import", yield* outcome(stream), { added: pets.length })
    const expected = yield* expectNumbered(before, pets)
    yield* expectHolds(expected)
    return expected
  })

/** Expects the ids that the store assigned to be greater than all others, and returns all pets. */
const expectNumbered = (before: ReadonlyArray<Pet>, pets: ReadonlyArray<ImportedPet>) =>
  Effect.gen(function* () {
    const brought = Model.ascending([...before, ...pets.filter(hasId)])
    const known = new Set(brought.map((pet) => pet.id))
    const given = (yield* walk(100)).map((pet) => pet.id).filter((id) => !known.has(id))
    const others = pets.filter((pet) => !hasId(pet))
    yield* expectSame("how many pets were given an id", given.length, others.length)
    const greatest = brought.at(-1)?.id
    for (const id of given) {
      yield* expectThat(greatest === undefined || id > greatest, {
        what: "the id of a pet that brought none",
        expected: `one greater than ${greatest}`,
        actual: id
      })
    }
    return [
      ...brought,
      ...given.flatMap((id, nth) => others.slice(nth, nth + 1).map((pet) => ({ id, ...pet })))
    ]
  })

const hasId = (pet: ImportedPet): pet is ImportedPet & { readonly id: PetId } =>
  pet.id !== undefined
