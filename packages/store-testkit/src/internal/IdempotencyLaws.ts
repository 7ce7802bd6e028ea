/** Laws about adds that are repeated: there is one pet for each key. */
import { lifetime } from "@petstore/domain/Idempotency"
import type { Pet } from "@petstore/domain/Pet"
import { PetStore } from "@petstore/domain/PetStore"
import * as Effect from "effect/Effect"
import * as Law from "../Law.ts"
import { expectSame } from "../Mismatch.ts"
import {
  addOnce,
  expectKeyWithPet,
  expectOnePetEach,
  expectRepeats,
  outcome,
  start
} from "./AddOnce.ts"
import { addAll, concurrency, expectHolds } from "./Contents.ts"
import { importInto } from "./Import.ts"
import * as Model from "./Model.ts"
import { barePet, fullPet, imported, newPet, variationsOf, variousPets } from "./Samples.ts"

/** Also when other pets, some of them equal, were added in between. */
const repeated = Law.make(
  "an add that is repeated with its key gives the first pet as a repeat, and adds none",
  Effect.gen(function* () {
    const pets = variousPets(8)
    const firsts: Array<Pet> = []
    for (const pet of pets) firsts.push(yield* addOnce(pet, pet.name, start, false))
    const others = yield* addAll(pets)
    for (const pet of firsts) yield* expectRepeats(pet, pet.name, start + 1000)
    const expected = yield* importInto(
      Model.ascending([...firsts, ...others]),
      pets.map((pet) => imported(pet))
    )
    for (const pet of firsts) yield* expectRepeats(pet, pet.name, start - 1000)
    yield* expectHolds(expected)
  })
)

/** Whichever field differs. */
const others = Law.make(
  "a key that was used for another pet gives that one, and adds none",
  Effect.gen(function* () {
    const pets: Array<Pet> = []
    for (const pet of [fullPet, barePet]) {
      const key = `key ${pets.length}`
      const first = yield* addOnce(pet, key)
      pets.push(first)
      for (const [what, other] of variationsOf(pet)) {
        yield* expectSame(`the add with ${what}`, yield* outcome(other, key), "other pet")
      }
      yield* expectRepeats(first, key)
    }
    yield* expectHolds(pets)
  })
)

/** Keys that a store may confuse. */
const someKeys = [
  ..."aA0".split(""),
  ...["aa", "a ", " a", "00", "-0", "a%", "a_", "a\\", "a'", 'a"', "å", "a\u030a"],
  ...["x", "y"].map((last) => last.padStart(255, "0"))
]

/** To the last character. */
const different = Law.make(
  "adds with different keys are different adds",
  Effect.gen(function* () {
    const pets: Array<Pet> = []
    for (const key of someKeys) pets.push(yield* addOnce(newPet("Rex"), key))
    yield* expectHolds(pets)
    for (const [nth, pet] of pets.entries()) yield* expectRepeats(pet, someKeys[nth] ?? "")
  })
)

/** For a day, and no longer, though a store may remove old keys a few at a time. */
const forgotten = Law.make(
  "a key is kept for a day, and may be used for another pet after it",
  Effect.gen(function* () {
    const end = start + lifetime
    const pets: Array<Pet> = []
    for (const pet of variousPets(6)) pets.push(yield* addOnce(pet, pet.name))
    const [first, last] = [pets.at(0), pets.at(-1)]
    if (first === undefined || last === undefined) return
    yield* expectRepeats(last, last.name, end - 1)
    pets.push(yield* addOnce(newPet("Tom"), last.name, end, false))
    const { id: _, ...again } = last
    const repeated = yield* outcome(again, last.name, end)
    yield* expectSame("the first pet, repeated after the other", repeated, "other pet")
    pets.push(yield* addOnce(newPet("Ida"), first.name, end))
    yield* expectHolds(pets)
  })
)

/** All get the first one's pet, and all but one as a repeat. */
const atOnce = Law.make(
  "adds with one key at once are one pet",
  Effect.gen(function* () {
    const pets = variousPets(16)
    const turns = Array.from({ length: 8 }, () => pets).flat()
    const given = yield* Effect.forEach(turns, (pet) => outcome(pet, pet.name), { concurrency })
    const firsts = given.filter((one) => typeof one !== "string" && !one.isRepeat)
    yield* expectSame("how many adds were no repeats", firsts.length, pets.length)
    yield* expectOnePetEach(pets)
  })
)

/** One of them wins. */
const contested = Law.make(
  "of adds of different pets with one key at once, one is added",
  Effect.gen(function* () {
    const given = yield* Effect.forEach(variousPets(64), (pet) => outcome(pet, "key"), {
      concurrency
    })
    const added = given.flatMap((one) => (typeof one === "string" ? [] : [one.pet]))
    yield* expectSame("how many pets were added", added.length, 1)
    yield* expectHolds(added)
  })
)

/** Wherever it was stopped, its key and its pet are both there or both not. */
const interrupted = Law.make(
  "an add that is interrupted and repeated is one pet",
  Effect.gen(function* () {
    const pets = variousPets(60)
    yield* Effect.forEach(
      pets,
      (pet, nth) =>
        Effect.raceFirst(
          outcome(pet, pet.name),
          Effect.all(Array.from({ length: nth % 12 }, () => Effect.yieldNow()))
        ),
      { concurrency, discard: true }
    )
    yield* expectOnePetEach(pets)
  })
)

/** Otherwise a crash between the two leaves a pet that a repetition adds again. */
const seen = Law.make(
  "a pet that a list shows has its key",
  Effect.flatMap(PetStore, (store) => expectKeyWithPet(store, store, 12))
)

/** The laws about adds that are repeated. */
export const laws = { repeated, others, different, forgotten, atOnce, contested, interrupted, seen }
