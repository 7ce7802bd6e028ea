/** Laws about imports that succeed: all pets are there, with the ids that they had. */
import { PetStatus } from "@petstore/domain/PetStatus"
import { PetStore } from "@petstore/domain/PetStore"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Law from "../Law.ts"
import { expectSame, expectThat } from "../Mismatch.ts"
import { addAll, expectHolds, walk } from "./Contents.ts"
import { arrivals, importInto, outcome, outcomeOf, streamOf } from "./Import.ts"
import { edgeIntegers, farId, imported, newPet, oddNames, variousPets } from "./Samples.ts"

/** This many pets, each with the id for its place. */
const numbered = (count: number, idAt: (nth: number) => bigint | undefined) =>
  variousPets(count).map((pet, nth) => imported(pet, idAt(nth)))

/** Ids below others, between them or far above, in any order: lists ascend nevertheless. */
const ids = Law.make(
  "an imported pet keeps its id, whatever it is",
  Effect.gen(function* () {
    const store = yield* PetStore
    const first = [4294967296n, 9007199254740993n, 2147483647n, 10n, farId]
    const pets = yield* importInto(
      [],
      numbered(5, (nth) => first[nth])
    )
    pets.push(yield* store.add(newPet("Rex")))
    const between = [11n, farId - 1n, 4294967295n, 1n]
    yield* importInto(
      pets,
      numbered(4, (nth) => between[nth])
    )
  })
)

/** Pets without an id keep their order; those with one may be anywhere among them. */
const given = Law.make(
  "imported pets without an id get the next ones after all others, in their order",
  Effect.gen(function* () {
    let pets = yield* importInto(
      [],
      numbered(30, () => undefined)
    )
    pets = yield* importInto(
      pets,
      numbered(30, (nth) => (nth % 3 === 0 ? 1000n * BigInt(nth + 1) : undefined))
    )
    yield* importInto(
      pets,
      numbered(3, () => undefined)
    )
  })
)

/** Also when the greatest id was imported, and when none was. */
const later = Law.make(
  "a pet added after an import has a greater id than all of it",
  Effect.gen(function* () {
    const store = yield* PetStore
    let pets = yield* addAll(variousPets(2))
    for (const id of [undefined, 500n, 20n, farId, undefined]) {
      pets = yield* importInto(pets, [imported(newPet("Rex"), id)])
      const added = yield* store.add(newPet("Tom"))
      const greatest = pets.at(-1)?.id ?? 0n
      yield* expectThat(added.id > greatest, {
        what: "the id of the pet added next",
        expected: `one greater than ${greatest}`,
        actual: added.id
      })
      pets.push(added)
    }
    yield* expectHolds(pets)
  })
)

/** As for a pet that is added: no trimming, rounding, default or additional property. */
const kinds = Law.make(
  "an imported pet is read as it came, and has the fields of a pet and no others",
  Effect.gen(function* () {
    const pets = [
      ...oddNames.map((name) => newPet(name, 1n, "sold")),
      ...edgeIntegers.map((categoryId) => newPet("Rex", categoryId, "pending")),
      ...[undefined, ...PetStatus.literals].map((status) => newPet("Rex", 1n, status))
    ]
    const withId = pets.map((pet, nth) => imported(pet, BigInt(nth + 1)))
    const before = yield* importInto([], withId)
    const all = [...pets, newPet("Rex")].map((pet) => imported(pet))
    const coloured = all.map((pet) => ({ ...pet, colour: "brown" }))
    yield* importInto(before, all, streamOf(coloured))
  })
)

/** A file arrives in chunks, small, large and empty. */
const pieces = Law.make(
  "an import may arrive in chunks of any size",
  Effect.gen(function* () {
    const pets = numbered(1100, (nth) => (nth % 2 === 0 ? BigInt(5000 - nth) : undefined))
    const all = Chunk.fromIterable(arrivals(pets))
    const bounds = [0, 0, 1, 2, 2, 9, 300, 301, 950, 1100, 1100]
    const slices = bounds.map((end, nth) => {
      const start = bounds[nth - 1] ?? 0
      return Chunk.take(Chunk.drop(all, start), end - start)
    })
    // A stream skips empty chunks, but not all of its operators do.
    const stream = Stream.rechunk(Stream.fromIterable(slices), 1).pipe(
      Stream.mapChunks(Chunk.flatten)
    )
    const before = yield* importInto([], pets, stream)
    const few = numbered(20, () => undefined)
    yield* importInto(before, few, Stream.rechunk(streamOf(few), 1))
  })
)

/** Neither in an empty store nor in another. */
const nothing = Law.make(
  "an import of nothing adds nothing",
  Effect.gen(function* () {
    yield* expectSame("the import", yield* outcome(Stream.empty), { added: 0 })
    yield* expectHolds([])
    const pets = yield* addAll(variousPets(3))
    yield* expectSame("the import", yield* outcome(Stream.empty), { added: 0 })
    yield* expectHolds(pets)
  })
)

/** An import is a description, and so is the stream that it reads. */
const lazy = Law.make(
  "an import acts when it is run, as often as it is run",
  Effect.gen(function* () {
    const store = yield* PetStore
    const add = outcomeOf(store.addAll(streamOf([imported(newPet("Rex"))])))
    yield* expectHolds([])
    for (const times of [1, 2, 3]) {
      yield* expectSame(`run ${times}`, yield* add, { added: 1 })
      const names = (yield* walk(100)).map((pet) => pet.name)
      yield* expectSame(`the pets after ${times} runs`, names, Array(times).fill("Rex"))
    }
  })
)

/** The laws about imports that succeed. */
export const laws = { ids, given, later, kinds, pieces, nothing, lazy }
