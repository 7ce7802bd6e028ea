/** Laws about one pet: what was added is what is read. */

import { CategoryId, type NewPet, type Pet, PetId, PetName } from "@petstore/domain/Pet"
import { PetStatus } from "@petstore/domain/PetStatus"
import { PetStore } from "@petstore/domain/PetStore"
import * as Int64 from "@petstore/kernel/Int64"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Law from "../Law.ts"
import { expectSame, expectThat, type Mismatch } from "../Mismatch.ts"
import { addAll, expectHolds, find } from "./Contents.ts"
import * as Model from "./Model.ts"
import { edgeIntegers, newPet, oddNames, variousPets } from "./Samples.ts"

/** Adds the pets and expects the store to return each unchanged, when added and later. */
const expectKeeps = (
  pets: ReadonlyArray<NewPet>
): Effect.Effect<void, Mismatch | StoreUnavailable, PetStore> =>
  Effect.gen(function* () {
    const store = yield* PetStore
    const kept: Array<Pet> = []
    for (const pet of pets) {
      const added = yield* store.add(pet)
      const expected = { id: added.id, ...pet }
      yield* expectSame("what add gave", added, expected)
      kept.push(expected)
    }
    yield* expectHolds(Model.ascending(kept))
  })

const isPetId = Schema.is(PetId)

/** Each pet gets a greater id than the one before, even when they are equal. */
const idsAscend = Law.make(
  "ids ascend",
  Effect.gen(function* () {
    const store = yield* PetStore
    let last: Pet | undefined
    for (let i = 0; i < 20; i++) {
      const pet = yield* store.add(newPet("Rex"))
      yield* expectThat(isPetId(pet.id) && (last === undefined || pet.id > last.id), {
        what: "the id of the pet added next",
        expected: last === undefined ? "an int64" : `an int64 greater than ${last.id}`,
        actual: pet.id
      })
      last = pet
    }
  })
)

/** A pet that was added is there, by id and in the lists. */
const added = Law.make("a pet is read as it was added", expectKeeps(variousPets(30)))

/** No trimming, no normalising, no cutting short. */
const names = Law.make(
  "a name is kept exactly",
  expectKeeps(oddNames.map((name) => newPet(name, 1n, "sold")))
)

/** No conversion through a floating-point number. */
const categories = Law.make(
  "a category is kept exactly",
  expectKeeps(edgeIntegers.map((categoryId) => newPet("Rex", categoryId, "pending")))
)

/** Each status is kept, and there is no default. */
const statuses = Law.make(
  "a status is kept, and one left out stays left out",
  expectKeeps([undefined, ...PetStatus.literals].map((status) => newPet("Rex", 1n, status)))
)

/** A Pet is also a NewPet, so its id must not be used, nor any other property. */
const fields = Law.make(
  "a pet has the fields of a pet and no others, and an id of its own",
  Effect.gen(function* () {
    const store = yield* PetStore
    const first = yield* store.add(newPet("Rex", 1n, "sold"))
    const more = { ...first, colour: "brown" }
    const second = yield* store.add(more)
    yield* expectThat(second.id !== first.id, {
      what: "the id of a pet added again",
      expected: `another than ${first.id}`,
      actual: second.id
    })
    const expected = { ...newPet("Rex", 1n, "sold"), id: second.id }
    yield* expectSame("what add gave", second, expected)
    yield* expectHolds(Model.ascending([first, expected]))
  })
)

/** The store keeps a copy. */
const copies = Law.make(
  "a pet stays as it was when its adder's object changes",
  Effect.gen(function* () {
    const store = yield* PetStore
    const mutable: { name: PetName; categoryId: CategoryId; status: PetStatus } = {
      name: PetName.make("Rex"),
      categoryId: CategoryId.make(1n),
      status: "available"
    }
    const { id } = yield* store.add(mutable)
    const expected: Pet = { id, ...mutable }
    mutable.name = PetName.make("Tom")
    mutable.categoryId = CategoryId.make(2n)
    mutable.status = "sold"
    yield* expectHolds([expected])
  })
)

/** Neither outside the assigned ids nor between them. */
const unknown = Law.make(
  "an id that was never assigned is not found",
  Effect.gen(function* () {
    const store = yield* PetStore
    const expectNone = (ids: ReadonlyArray<bigint>, given: ReadonlySet<bigint>) =>
      Effect.forEach(
        ids.filter((id) => !given.has(id) && id >= Int64.min && id <= Int64.max),
        (id) =>
          Effect.flatMap(find(store, PetId.make(id)), (found) =>
            expectSame(`get(${id})`, found, null)
          )
      )
    yield* expectNone(edgeIntegers, new Set())
    const ids = (yield* addAll(variousPets(5))).map((pet): bigint => pet.id)
    const neighbours = ids.flatMap((id) => [id - 1n, id + 1n, -id, id + 2n ** 32n])
    yield* expectNone([...edgeIntegers, ...neighbours], new Set(ids))
  })
)

/** Creating an effect does nothing, and running it twice does it twice. */
const lazy = Law.make(
  "an operation acts when it is run, as often as it is run",
  Effect.gen(function* () {
    const store = yield* PetStore
    const add = store.add(newPet("Rex"))
    const list = store.list(Model.query(100))
    yield* expectSame("the list before add has run", (yield* list).pets, [])
    const first = yield* add
    const ahead = [1n, 2n, 3n, 4n, 5n].map((n) => PetId.make(first.id + n))
    const gets = Effect.all(ahead.map((id) => find(store, id)))
    yield* expectSame(
      `get of ${ahead}, not yet given`,
      yield* gets,
      ahead.map(() => null)
    )
    const second = yield* add
    yield* expectSame("the list after add has run twice", (yield* list).pets, [first, second])
    const expected = ahead.map((id) => (id === second.id ? second : null))
    yield* expectSame(`get of ${ahead}, run again`, yield* gets, expected)
  })
)

/** The laws about one pet. */
export const laws = { idsAscend, added, names, categories, statuses, fields, copies, unknown, lazy }
