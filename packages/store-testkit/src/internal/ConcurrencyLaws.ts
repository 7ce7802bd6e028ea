/** Laws about many callers at once. */

import * as ListPets from "@petstore/domain/ListPets"
import type { Pet, PetId } from "@petstore/domain/Pet"
import { PetStore } from "@petstore/domain/PetStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Law from "../Law.ts"
import { expectSame, expectThat } from "../Mismatch.ts"
import { addAll, concurrency, expectHolds, makePause, readPage, walk } from "./Contents.ts"
import * as Model from "./Model.ts"
import { newPet, variousPets } from "./Samples.ts"

/** No two pets share an id, and a pet added after another's add has ended has the greater id. */
const ids = Law.make(
  "concurrent adds get different ids, in the order of the adds",
  Effect.gen(function* () {
    const store = yield* PetStore
    const given = new Set<PetId>()
    let greatest: PetId | undefined
    yield* Effect.forEach(
      variousPets(200),
      (pet) =>
        Effect.gen(function* () {
          const before = greatest
          const { id } = yield* store.add(pet)
          yield* expectThat(!given.has(id) && (before === undefined || id > before), {
            what: "the id of a pet added among others",
            expected: before === undefined ? "a new one" : `a new one, greater than ${before}`,
            actual: id
          })
          given.add(id)
          if (greatest === undefined || id > greatest) greatest = id
        }),
      { concurrency, discard: true }
    )
  })
)

/** Every add that succeeds is kept, with the fields that its caller gave. */
const kept = Law.make(
  "concurrent adds are all kept",
  Effect.gen(function* () {
    const store = yield* PetStore
    const expected = yield* Effect.forEach(
      variousPets(200),
      (pet) => Effect.map(store.add(pet), ({ id }): Pet => ({ id, ...pet })),
      { concurrency }
    )
    yield* expectHolds(Model.ascending(expected))
  })
)

/** Adds pets a few at a time and yields to readers. */
const addSlowly = Effect.flatMap(PetStore, (store) =>
  Effect.forEach(variousPets(60), (pet) => Effect.zipLeft(store.add(pet), Effect.yieldNow()), {
    concurrency: 4
  })
)

/** Pets added during a walk may be seen or not, but only in order and only once. */
const walks = Law.make(
  "a walk sees every pet that was there when it began, once, whatever is added during it",
  Effect.gen(function* () {
    let pets = yield* addAll(variousPets(60))
    for (const parameters of Model.selections) {
      const atFirst = new Set(pets)
      const [added, met] = yield* Effect.zip(addSlowly, walk(3, parameters), { concurrent: true })
      const metIds = new Set(met.map((pet) => pet.id))
      pets = Model.ascending([...pets, ...added])
      const expected = pets
        .filter((pet) => ListPets.shows(parameters, pet))
        .filter((pet) => atFirst.has(pet) || metIds.has(pet.id))
      yield* expectSame(`the walk through all${ListPets.textOf(parameters)}`, met, expected)
    }
  })
)

/** Otherwise a reader whose cursor has passed an id would miss the pet that appears there later. */
const appearing = Law.make(
  "pets appear in the order of their ids: reading on after the last one misses none",
  Effect.gen(function* () {
    const met: Array<Pet> = []
    let adding = true
    const pause = makePause()
    const readOn = Effect.gen(function* () {
      while (true) {
        const last = !adding
        const { next, pets } = yield* readPage(Model.query(5, undefined, met.at(-1)?.id))
        met.push(...pets)
        if (last && Option.isNone(next)) return
        yield* pause
      }
    })
    const add = Effect.ensuring(
      Effect.replicateEffect(addSlowly, 3),
      Effect.sync(() => {
        adding = false
      })
    )
    const [added] = yield* Effect.zip(add, readOn, { concurrent: true })
    yield* expectSame("the pets met", met, Model.ascending(added.flat()))
  })
)

/** An interrupted add may still add its pet, even later, but does not affect others. */
const interrupted = Law.make(
  "an interrupted add does not affect others",
  Effect.gen(function* () {
    const store = yield* PetStore
    const giveUpAfter = (yields: number) =>
      Effect.as(
        Effect.all(Array.from({ length: yields }, () => Effect.yieldNow())),
        Option.none<Pet>()
      )
    const answers = yield* Effect.forEach(
      variousPets(100),
      (pet, i) => {
        const add = Effect.asSome(store.add(pet))
        return i % 2 === 0 ? add : Effect.raceFirst(add, giveUpAfter(i % 5))
      },
      { concurrency }
    )
    const acknowledged = [...answers.flatMap(Option.toArray), yield* store.add(newPet("Rex"))]
    const listed = yield* walk(100)
    const ids = new Set(acknowledged.map((pet) => pet.id))
    yield* expectSame(
      "the acknowledged pets in the list",
      listed.filter((pet) => ids.has(pet.id)),
      Model.ascending(acknowledged)
    )
    const names = new Set(listed.map((pet) => pet.name))
    yield* expectSame("how many pets are listed", listed.length, names.size)
  })
)

/** The laws about concurrent callers. */
export const laws = { ids, kept, walks, appearing, interrupted }
