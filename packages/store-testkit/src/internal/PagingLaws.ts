/** Laws about lists: pages in order, whole, filtered, and joined without a gap. */

import * as ListPets from "@petstore/domain/ListPets"
import { type Pet, PetId } from "@petstore/domain/Pet"
import { PetStore } from "@petstore/domain/PetStore"
import * as Int64 from "@petstore/kernel/Int64"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Effect from "effect/Effect"
import * as Law from "../Law.ts"
import { expectSame, type Mismatch } from "../Mismatch.ts"
import { addAll, concurrency, walk } from "./Contents.ts"
import * as Model from "./Model.ts"
import { variousPets } from "./Samples.ts"

const limits = [1, 2, 20, 99, 100]

/** Enough for more than one full page of available pets at the greatest limit. */
const many = variousPets(210)

/** The first page, and those that end before, at and beyond the last pet by one, for all limits and filters. */
const edges = (pets: ReadonlyArray<Pet>): ReadonlyArray<ListPets.ListPets> =>
  Model.selections.flatMap((parameters) => {
    const shown = pets.filter((pet) => ListPets.shows(parameters, pet))
    return limits.flatMap((limit) =>
      [undefined, -2, -1, 0].flatMap((offset) => {
        if (offset === undefined) return Model.query(limit, parameters)
        const pet = shown[shown.length - limit + offset]
        return pet === undefined ? [] : Model.query(limit, parameters, pet.id)
      })
    )
  })

/** Compares one part of every page at an edge with the model, in a store that grows. */
const expectPages = (
  part: keyof Model.Page
): Effect.Effect<void, Mismatch | StoreUnavailable, PetStore> =>
  Effect.gen(function* () {
    const store = yield* PetStore
    const pets: Array<Pet> = []
    for (const batch of [[], ...variousPets(4).map((pet) => [pet]), many]) {
      pets.push(...(yield* addAll(batch)))
      const expectPage = (query: ListPets.ListPets) =>
        Effect.flatMap(store.list(query), (page) => {
          const what = `${part} of ${Model.describe(query)} in a store of ${pets.length}`
          return expectSame(what, Model.pageOf(page)[part], Model.page(pets, query)[part])
        })
      yield* Effect.forEach(edges(pets), expectPage, { concurrency, discard: true })
    }
  })

/** In order, none left out, none repeated, never more than asked for. */
const pages = Law.make(
  "a page holds the first pets after its cursor, by ascending id",
  expectPages("pets")
)

/** Also, and above all, when the last page is exactly full. */
const next = Law.make(
  "next is the last id on the page, exactly when more pets follow",
  expectPages("next")
)

/** A pet without a value is in no filtered list. */
const filtered = Law.make(
  "a filter shows pets with its value and no others",
  Effect.gen(function* () {
    const store = yield* PetStore
    const all = yield* addAll(variousPets(24))
    for (const name of ListPets.filters) {
      for (const value of new Set(all.flatMap((pet) => pet[name] ?? []))) {
        const { pets } = yield* store.list(Model.query(100, { [name]: value }))
        const expected = all.filter((pet) => pet[name] === value)
        yield* expectSame(`the pets whose ${name} is ${value}`, pets, expected)
      }
    }
  })
)

/** Whatever the limit and the filter. */
const whole = Law.make(
  "following next visits every pet exactly once",
  Effect.gen(function* () {
    const pets = yield* addAll(many)
    const walks = Model.selections.flatMap((parameters) =>
      [1, 7, 100].map((limit) => {
        const what = `the walk by ${limit} through all${ListPets.textOf(parameters)}`
        const expected = pets.filter((pet) => ListPets.shows(parameters, pet))
        return Effect.flatMap(walk(limit, parameters), (met) => expectSame(what, met, expected))
      })
    )
    yield* Effect.all(walks, { concurrency, discard: true })
  })
)

/** A cursor need not be the id of a pet: it may be any int64, or belong to a pet that the filter excludes. */
const cursors = Law.make(
  "a list may begin after any id",
  Effect.gen(function* () {
    const store = yield* PetStore
    const pets = yield* addAll(variousPets(12))
    const around = pets.flatMap((pet) => [pet.id - 1n, pet.id, pet.id + 1n])
    for (const id of [Int64.min, -1n, 0n, ...around, Int64.max]) {
      for (const parameters of Model.selections) {
        const query = Model.query(3, parameters, PetId.make(id))
        const actual = Model.pageOf(yield* store.list(query))
        yield* expectSame(Model.describe(query), actual, Model.page(pets, query))
      }
    }
  })
)

/** A page does not change afterwards. */
const values = Law.make(
  "a page once read does not change",
  Effect.gen(function* () {
    const store = yield* PetStore
    const pets = yield* addAll(variousPets(12))
    const read: Array<readonly [ListPets.ListPets, Model.Page]> = []
    for (const parameters of Model.selections) {
      const query = Model.query(100, parameters)
      read.push([query, Model.pageOf(yield* store.list(query))])
    }
    yield* addAll(variousPets(12))
    for (const [query, page] of read) {
      yield* expectSame(`${Model.describe(query)}, read before`, page, Model.page(pets, query))
    }
  })
)

/** The laws about lists. */
export const laws = { pages, next, filtered, whole, cursors, values }
