/** Laws about stores that outlive the process: what was acknowledged is never lost. */
import type { Pet } from "@petstore/domain/Pet"
import { PetStore } from "@petstore/domain/PetStore"
import * as Effect from "effect/Effect"
import * as Law from "../Law.ts"
import { expectSame, expectThat } from "../Mismatch.ts"
import { addAll, expectHolds, walk } from "./Contents.ts"
import { importInto } from "./Import.ts"
import * as Model from "./Model.ts"
import { edgeIntegers, farId, imported, newPet, oddNames, variousPets } from "./Samples.ts"
import { closeDuring } from "./Shutdown.ts"

/** After few adds and after many, since a store may save in batches. */
const reopened = Law.makeAt("a reopened store holds all that it acknowledged", (place) =>
  Effect.gen(function* () {
    const layer = yield* place
    const pets: Array<Pet> = []
    for (const batch of [
      variousPets(1),
      variousPets(6),
      oddNames.map((name) => newPet(name)),
      edgeIntegers.map((categoryId) => newPet("Rex", categoryId))
    ]) {
      pets.push(...(yield* addAll(batch).pipe(Effect.provide(layer))))
      yield* expectHolds(pets).pipe(Effect.provide(layer))
    }
  })
)

/** An id identifies one pet for ever, not only while the process runs. */
const idsGoOn = Law.makeAt("ids keep ascending in a reopened store", (place) =>
  Effect.gen(function* () {
    const layer = yield* place
    const pets: Array<Pet> = []
    for (let opening = 1; opening <= 4; opening++) {
      const greatest = pets.at(-1)?.id
      const added = yield* addAll(variousPets(3)).pipe(Effect.provide(layer))
      for (const { id } of added) {
        yield* expectThat(greatest === undefined || id > greatest, {
          what: `the id of a pet added in opening ${opening}`,
          expected: `one greater than ${greatest}`,
          actual: id
        })
      }
      pets.push(...added)
    }
    yield* expectHolds(pets).pipe(Effect.provide(layer))
  })
)

/** Its pets, their ids, and the next id. */
const importsReopened = Law.makeAt("a reopened store holds all that was imported", (place) =>
  Effect.gen(function* () {
    const layer = yield* place
    let pets: Array<Pet> = []
    for (const id of [undefined, 900n, 30n, farId, undefined]) {
      const arriving = variousPets(4).map((pet, nth) => imported(pet, id && id + BigInt(nth)))
      pets = yield* importInto(pets, arriving).pipe(Effect.provide(layer))
      yield* expectHolds(pets).pipe(Effect.provide(layer))
    }
    const [added] = yield* addAll([newPet("Rex")]).pipe(Effect.provide(layer))
    const greatest = pets.at(-1)?.id ?? 0n
    yield* expectThat(added !== undefined && added.id > greatest, {
      what: "the id of a pet added to the reopened store",
      expected: `one greater than ${greatest}`,
      actual: added?.id
    })
  })
)

/** Adds in flight may fail or not complete when the store closes; those that succeed must be kept. */
const closing = Law.makeAt("what is acknowledged while the store closes is kept", (place) =>
  Effect.gen(function* () {
    const layer = yield* place
    const acknowledged: Array<Pet> = []
    yield* closeDuring(layer, (acknowledge) =>
      Effect.flatMap(PetStore, (store) => {
        const add = Effect.flatMap(store.add(newPet("Rex")), (pet) => {
          acknowledged.push(pet)
          return acknowledge
        })
        return Effect.all(
          Array.from({ length: 8 }, () => Effect.forever(add)),
          { concurrency: "unbounded", discard: true }
        )
      })
    )
    const ids = new Set(acknowledged.map((pet) => pet.id))
    const held = yield* walk(100).pipe(Effect.provide(layer))
    yield* expectSame(
      "the acknowledged pets in the reopened store",
      held.filter((pet) => ids.has(pet.id)),
      Model.ascending(acknowledged)
    )
  })
)

/** The laws about durable stores of pets. */
export const laws = { reopened, idsGoOn, importsReopened, closing }
