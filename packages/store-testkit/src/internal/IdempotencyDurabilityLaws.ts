/** Laws about repeated adds in stores that outlive the process, and that several processes share. */
import type { Pet } from "@petstore/domain/Pet"
import { PetStore } from "@petstore/domain/PetStore"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Law from "../Law.ts"
import { expectSame } from "../Mismatch.ts"
import { addOnce, expectKeyWithPet, expectOnePetEach, expectRepeats, outcome } from "./AddOnce.ts"
import { concurrency, expectHolds } from "./Contents.ts"
import { newPet, variousPets } from "./Samples.ts"
import { closeDuring } from "./Shutdown.ts"

/** As if the answer had been lost when the process ended. */
const keysReopened = Law.makeAt("a reopened store knows the keys that were used", (place) =>
  Effect.gen(function* () {
    const layer = yield* place
    const pets: Array<Pet> = []
    for (const pet of variousPets(3)) {
      pets.push(yield* addOnce(pet, pet.name).pipe(Effect.provide(layer)))
      yield* Effect.forEach(pets, (known) => expectRepeats(known, known.name)).pipe(
        Effect.provide(layer)
      )
    }
    const [first] = pets
    const other = yield* outcome(newPet("other"), first?.name ?? "").pipe(Effect.provide(layer))
    yield* expectSame("the add of another pet", other, "other pet")
    yield* expectHolds(pets).pipe(Effect.provide(layer))
  })
)

/** As if the process had been killed: a store must not wait for its end to save pets or keys. */
const abandoned = Law.makeAt(
  "a store that was not closed has lost nothing",
  (place) =>
    Effect.gen(function* () {
      const layer = yield* place
      const open = Effect.map(Layer.build(Layer.fresh(layer)), Context.get(PetStore))
      const pets: Array<Pet> = []
      for (const pet of variousPets(3)) {
        const store = yield* open
        pets.push(yield* addOnce(pet, pet.name).pipe(Effect.provideService(PetStore, store)))
        pets.push(yield* store.add(pet))
      }
      yield* Effect.gen(function* () {
        yield* expectHolds(pets)
        for (const [nth, pet] of pets.entries())
          if (nth % 2 === 0) yield* expectRepeats(pet, pet.name)
      }).pipe(Effect.provideServiceEffect(PetStore, open))
    }),
  { opensTwice: true }
)

/** Otherwise a pet may be there whose key is not, and the repetition adds it again. */
const keysClosing = Law.makeAt(
  "an add that the end of a store cuts off, and that is repeated, is one pet",
  (place) =>
    Effect.gen(function* () {
      const layer = yield* place
      const pets = variousPets(200)
      yield* closeDuring(layer, (acknowledge) =>
        Effect.forEach(pets, (pet) => Effect.zipRight(outcome(pet, pet.name), acknowledge), {
          concurrency,
          discard: true
        })
      )
      yield* expectOnePetEach(pets).pipe(Effect.provide(layer))
    })
)

/** The laws about repeated adds in durable stores. */
export const laws = { keysReopened, abandoned, keysClosing }

/** As when a caller repeats an add at another server. */
const atOnce = Law.makeAt(
  "adds with one key in two stores at one place are one pet",
  (place) =>
    Effect.gen(function* () {
      const layer = yield* place
      const open = Effect.map(Layer.build(Layer.fresh(layer)), Context.get(PetStore))
      const [one, other] = yield* Effect.all([open, open])
      const pets = variousPets(20)
      const all = pets.flatMap((pet) => [one, other, one, other].map((store) => ({ pet, store })))
      yield* Effect.forEach(
        all,
        ({ pet, store }) => addOnce(pet, pet.name).pipe(Effect.provideService(PetStore, store)),
        { concurrency, discard: true }
      )
      for (const store of [one, other]) {
        yield* expectOnePetEach(pets).pipe(Effect.provideService(PetStore, store))
      }
    }),
  { opensTwice: true }
)

/** As when a caller repeats an add at another server, and the first one has not finished. */
const seen = Law.makeAt(
  "a pet that a list of another store shows has its key there",
  (place) =>
    Effect.gen(function* () {
      const layer = yield* place
      const open = Effect.map(Layer.build(Layer.fresh(layer)), Context.get(PetStore))
      const [one, other] = yield* Effect.all([open, open])
      yield* expectKeyWithPet(one, other, 60)
    }),
  { opensTwice: true }
)

/** The laws about repeated adds in stores that several processes share. */
export const sharedLaws = { atOnce, seen }
