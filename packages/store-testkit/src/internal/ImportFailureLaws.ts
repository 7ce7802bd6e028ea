/** Laws about imports that fail: they add no pets, and say why. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as Law from "../Law.ts"
import { expectSame, expectThat } from "../Mismatch.ts"
import { addAll, expectHolds, walk } from "./Contents.ts"
import { arrivals, importInto, outcome, streamOf } from "./Import.ts"
import * as Model from "./Model.ts"
import { imported, newPet, variousPets } from "./Samples.ts"

/** Pets with these ids, or without. */
const bringing = (...ids: ReadonlyArray<bigint | undefined>) =>
  ids.map((id, nth) => imported(newPet(`import ${nth}`), id))

/** This many ids, every other one left out. */
const sparse = (count: number) =>
  Array.from({ length: count }, (_, nth) => (nth % 2 === 0 ? BigInt(nth + 100) : undefined))

/** Whether a pet of the store or an earlier pet of the import has it; the first one is not reported. */
const taken = Law.make(
  "an import with ids that are taken adds nothing, and reports each by its place",
  Effect.gen(function* () {
    let pets = yield* addAll(variousPets(2))
    pets = yield* importInto(pets, bringing(700n, 800n, undefined))
    const given = pets.at(-1)?.id
    for (const ids of [
      [700n],
      [given],
      [500n, undefined, 800n, 700n, 600n],
      [500n, 501n, 500n, 502n, 500n, 501n],
      [700n, undefined, 900n, 700n, 900n, given]
    ]) {
      const expected = Model.taken(pets, arrivals(bringing(...ids)))
      for (const size of [1, 100]) {
        const stream = Stream.rechunk(streamOf(bringing(...ids)), size)
        const what = `the import of ${ids} in pieces of ${size}`
        yield* expectSame(what, yield* outcome(stream), { taken: expected, count: expected.length })
        yield* expectHolds(pets)
      }
    }
    yield* importInto(pets, bringing(500n, undefined, 501n))
  })
)

/** A file of a million wrong lines is not reported line by line. */
const hundred = Law.make(
  "the first hundred ids that are taken are reported, and how many there are",
  Effect.gen(function* () {
    const range = (count: number, first: number) =>
      Array.from({ length: count }, (_, nth) => BigInt(first + nth))
    const pets = yield* importInto([], bringing(...range(150, 1000)))
    // Ids of the store and repeated ids alternate, the greatest id first.
    const mixed = range(150, 1000)
      .reverse()
      .flatMap((id) => [id + 1000n, id, id + 1000n])
    for (const [ids, count] of [
      [range(100, 1000), 100],
      [range(101, 1000).reverse(), 101],
      [[...range(150, 1), ...range(150, 1)], 150],
      [mixed, 300]
    ] as const) {
      const reported = Model.taken(pets, arrivals(bringing(...ids))).slice(0, 100)
      const stream = Stream.rechunk(streamOf(bringing(...ids)), 64)
      yield* expectSame("the import", yield* outcome(stream), { taken: reported, count })
      yield* expectHolds(pets)
    }
  })
)

/** The failure is passed on unchanged, however much arrived before it. */
const failing = Law.make(
  "an import whose stream fails has the same failure, and adds nothing",
  Effect.gen(function* () {
    const pets = yield* addAll(variousPets(3))
    const failed = { line: 7, is: "no pet" }
    for (const count of [0, 1, 700]) {
      const stream = Stream.concat(
        Stream.rechunk(streamOf(bringing(...sparse(count))), 64),
        Stream.fail(failed)
      )
      const what = `the import that fails after ${count} pets`
      yield* expectSame(what, yield* outcome(stream), { failed })
      yield* expectHolds(pets)
    }
    yield* importInto(pets, bringing(100n, undefined))
  })
)

/** An interrupted import leaves no pets and no lock. */
const interrupted = Law.make(
  "an import that is interrupted before its end adds nothing",
  Effect.gen(function* () {
    const pets = yield* addAll(variousPets(3))
    const halfway = yield* Deferred.make<void>()
    const stream = Stream.rechunk(streamOf(bringing(...sparse(300))), 64).pipe(
      Stream.concat(Stream.drain(Stream.fromEffect(Deferred.succeed(halfway, undefined)))),
      Stream.concat(Stream.never)
    )
    const importing = yield* Effect.fork(outcome(stream))
    yield* Effect.raceFirst(Deferred.await(halfway), Fiber.join(importing))
    yield* Fiber.interrupt(importing)
    yield* expectHolds(pets)
    yield* importInto(pets, bringing(100n, undefined))
  })
)

/** It may be too late to stop it, but it is never stopped halfway. */
const stopped = Law.make(
  "an import that is interrupted at any time adds all of its pets or none",
  Effect.gen(function* () {
    const twenty = bringing(...Array.from({ length: 20 }, () => undefined))
    for (const yields of [0, 1, 2, 3, 5, 8, 13, 50, 200]) {
      const before = yield* walk(100)
      const giveUp = Effect.repeatN(Effect.yieldNow(), yields)
      yield* Effect.raceFirst(outcome(streamOf(twenty)), giveUp)
      const added = (yield* walk(100)).length - before.length
      yield* expectThat(added === 0 || added === 20, {
        what: `how many pets are there of an import stopped after ${yields} turns`,
        expected: "0 or 20",
        actual: added
      })
    }
  })
)

/** The laws about imports that fail. */
export const laws = { taken, hundred, failing, interrupted, stopped }
