/** Laws about calls that are given up in the middle of a commit, and the store that is opened after them. */
import type { NewPet, Pet } from "@petstore/domain/Pet"
import { PetStore } from "@petstore/domain/PetStore"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Law from "../Law.ts"
import { expectSame, expectThat } from "../Mismatch.ts"
import { expectOnePetEach, outcome } from "./AddOnce.ts"
import { expectHolds, walk } from "./Contents.ts"
import * as Import from "./Import.ts"
import * as Model from "./Model.ts"
import { imported, newPet } from "./Samples.ts"

const count = 24

/** Pets with names of their own. */
const pets = Array.from({ length: count }, (_, nth) => newPet(`interrupted ${nth}`))

type Call = Effect.Effect<unknown, unknown, PetStore>

/** Gives up after some turns of the scheduler, or after a part of the time that an add takes: at another moment each. */
const giveUp = (nth: number, took: Duration.Duration): Effect.Effect<unknown> =>
  nth % 2 === 0
    ? Effect.all(Array.from({ length: (nth / 2) % 12 }, () => Effect.yieldNow()))
    : Effect.sleep((Duration.toMillis(took) * (nth % 20)) / 16)

/** Gives up a call for each pet, adds another pet after each, and returns what the reopened store holds. */
const interrupt = (place: Law.Place, pets: ReadonlyArray<NewPet>, callOf: (pet: NewPet) => Call) =>
  Effect.gen(function* () {
    const layer = yield* place
    const acknowledged = yield* Effect.gen(function* () {
      const store = yield* PetStore
      const [took, first] = yield* Effect.timed(store.add(newPet("first")))
      const added = yield* Effect.forEach(pets, (pet, nth) =>
        Effect.zipRight(
          Effect.raceFirst(callOf(pet), giveUp(nth, took)),
          store.add(newPet(`between ${nth}`))
        )
      )
      return [first, ...added]
    }).pipe(Effect.provide(layer))
    const held = yield* walk(100).pipe(Effect.provide(layer))
    const ids = new Set(acknowledged.map((pet) => pet.id))
    yield* expectSame(
      "the acknowledged pets in the reopened store",
      held.filter((pet) => ids.has(pet.id)),
      Model.ascending(acknowledged)
    )
    yield* expectHolds(held).pipe(Effect.provide(layer))
    return { layer, others: held.filter((pet) => !ids.has(pet.id)) }
  })

/** How many pets of the reopened store have each name: 0, or as many as one call adds. */
const expectWhole = (others: ReadonlyArray<Pet>, size: number) =>
  Effect.forEach(
    pets,
    ({ name }) => {
      const actual = others.filter((pet) => pet.name === name).length
      const what = `the pets "${name}" in the reopened store`
      return expectThat(actual === 0 || actual === size, { what, expected: `0 or ${size}`, actual })
    },
    { discard: true }
  )

/** Also those that another add followed. */
const adds = Law.makeAt("interrupted adds leave whole pets with ids of their own", (place) =>
  Effect.gen(function* () {
    const { others } = yield* interrupt(place, pets, (pet) =>
      Effect.flatMap(PetStore, (store) => store.add(pet))
    )
    yield* expectWhole(others, 1)
  })
)

/** The key and the pet are both there, or both not. */
const keyedAdds = Law.makeAt(
  "an interrupted add that is repeated in the reopened store is one pet",
  (place) =>
    Effect.gen(function* () {
      const { layer, others } = yield* interrupt(place, pets, (pet) => outcome(pet, pet.name))
      yield* expectWhole(others, 1)
      yield* expectOnePetEach(pets, "interrupted").pipe(Effect.provide(layer))
    })
)

const size = 5

/** Never a part of one. Fewer calls, since a store may start a thread or a connection for each import. */
const imports = Law.makeAt("interrupted imports leave all of their pets or none", (place) =>
  Effect.gen(function* () {
    const { others } = yield* interrupt(place, pets.slice(0, 12), (pet) =>
      Import.outcome(Import.streamOf(Array.from({ length: size }, () => imported(pet))))
    )
    yield* expectWhole(others, size)
  })
)

/** The laws about interrupted calls in durable stores. */
export const laws = { adds, keyedAdds, imports }
