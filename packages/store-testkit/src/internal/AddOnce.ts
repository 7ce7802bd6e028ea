/** Adding pets with idempotency keys through the port, and checking the outcome. */
import * as Idempotency from "@petstore/domain/Idempotency"
import { isSame, type NewPet, type Pet, type PetId } from "@petstore/domain/Pet"
import { PetStore } from "@petstore/domain/PetStore"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { expectSame, Mismatch } from "../Mismatch.ts"
import { concurrency, makePause, walk } from "./Contents.ts"
import * as Model from "./Model.ts"
import { variousPets } from "./Samples.ts"

/** When the laws add their first pets. */
export const start = 1_800_000_000_000

/** What an add gives; it is the first one of its key if this is another pet. */
export const outcome = (
  pet: NewPet,
  key: string,
  at = start
): Effect.Effect<Idempotency.Added | "other pet", StoreUnavailable, PetStore> =>
  Effect.flatMap(PetStore, (store) =>
    Effect.map(store.addOnce(pet, Idempotency.make(key, at)), (added) =>
      added.isRepeat && !isSame(added.pet, pet) ? "other pet" : added
    )
  )

/** Adds a pet that must not be refused, and expects it to be given as it is, and as a repeat if that is known. */
export const addOnce = (
  pet: NewPet,
  key: string,
  at?: number,
  isRepeat?: boolean
): Effect.Effect<Pet, Mismatch | StoreUnavailable, PetStore> =>
  Effect.gen(function* () {
    const what = `the add with the key ${key}`
    const given = yield* outcome(pet, key, at)
    if (typeof given === "string") {
      return yield* new Mismatch({ what, expected: "a pet", actual: given })
    }
    yield* expectSame(what, given.pet, { id: given.pet.id, ...pet })
    yield* expectSame(`${what}: whether it is a repeat`, given.isRepeat, isRepeat ?? given.isRepeat)
    return given.pet
  })

/** Expects an add that is repeated to give the same pet. */
export const expectRepeats = (
  { id, ...pet }: Pet,
  key: string,
  at?: number
): Effect.Effect<void, Mismatch | StoreUnavailable, PetStore> =>
  Effect.flatMap(addOnce(pet, key, at, true), (given) =>
    expectSame(`the id when the key ${key} is repeated`, given.id, id)
  )

/** Repeats adds, each with its name as its key, and expects one pet of each name, among those whose names start so. */
export const expectOnePetEach = (
  pets: ReadonlyArray<NewPet>,
  prefix = ""
): Effect.Effect<void, Mismatch | StoreUnavailable, PetStore> =>
  Effect.gen(function* () {
    yield* Effect.forEach(pets, (pet) => addOnce(pet, pet.name), { concurrency })
    const names = (yield* walk(100)).map(({ name }) => name)
    yield* expectSame(
      "the names of the pets",
      names.filter((name) => name.startsWith(prefix)).toSorted(),
      pets.map(({ name }) => name).toSorted()
    )
  })

/** Repeats this many adds at the other store as soon as it shows their pets: a pet and its key must appear in one step. */
export const expectKeyWithPet = (
  store: PetStore["Type"],
  other: PetStore["Type"],
  count: number
): Effect.Effect<void, Mismatch | StoreUnavailable> =>
  Effect.gen(function* () {
    const pause = makePause()
    let last: PetId | undefined
    for (const newPet of variousPets(count)) {
      const key = Idempotency.make(newPet.name, start)
      const adding = yield* Effect.fork(store.addOnce(newPet, key))
      const find = Effect.gen(function* () {
        while (true) {
          const isLast = Option.isSome(yield* Fiber.poll(adding))
          const { pets } = yield* other.list(Model.query(1, {}, last))
          if (pets[0] !== undefined || isLast) return pets[0]
          yield* pause
        }
      })
      const pet = yield* find
      const what = `the repeated add of "${newPet.name}", which the list shows`
      const repeated = yield* other.addOnce(newPet, key)
      yield* expectSame(what, repeated, { pet, isRepeat: true })
      yield* expectSame("the first add", yield* Fiber.join(adding), { pet, isRepeat: false })
      last = pet?.id
    }
  })
