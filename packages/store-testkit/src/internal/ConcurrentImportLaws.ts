/** Laws about imports while other callers read and write: readers see all of an import or none of it. */

import * as ListPets from "@petstore/domain/ListPets"
import { PetId } from "@petstore/domain/Pet"
import { PetStore } from "@petstore/domain/PetStore"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as Law from "../Law.ts"
import { expectSame, expectThat, Mismatch } from "../Mismatch.ts"
import { addOnce } from "./AddOnce.ts"
import { addAll, concurrency, expectHolds, find, makePause, walk } from "./Contents.ts"
import { importInto, outcome, streamOf } from "./Import.ts"
import * as Model from "./Model.ts"
import { imported, newPet, variousPets } from "./Samples.ts"

const count = 60

const pet = newPet("import", 1n, "sold")

/** Half of them have ids, far apart. They arrive a few at a time and yield to readers. */
const arriving = Array.from({ length: count }, (_, nth) =>
  imported(pet, nth % 2 === 0 ? 1000n * BigInt(nth + 1) : undefined)
)
const slowly = Stream.rechunk(streamOf(arriving), 7).pipe(
  Stream.mapChunksEffect((chunk) => Effect.as(Effect.yieldNow(), chunk))
)

/** A reader that has seen one of the pets sees all of them from then on. */
const whole = Law.make(
  "a reader during an import sees none of its pets, or all",
  Effect.gen(function* () {
    const store = yield* PetStore
    yield* addAll(variousPets(20))
    let isOver = false
    let hasArrived = false
    const expectAllOrNone = (what: string, seen: number, all: number) =>
      Effect.suspend(() => {
        const isRight = seen === all || (seen === 0 && !hasArrived)
        hasArrived ||= seen > 0
        const expected = hasArrived ? all : `0 or ${all}`
        return expectThat(isRight, { what, expected, actual: seen })
      })
    const pause = makePause()
    const read = Effect.gen(function* () {
      for (const parameters of [{}, ...ListPets.filters.map((name) => ({ [name]: pet[name] }))]) {
        const { pets } = yield* store.list(Model.query(100, parameters))
        const seen = pets.filter((pet) => pet.name === "import").length
        yield* expectAllOrNone(
          `imported pets on the page of all${ListPets.textOf(parameters)}`,
          seen,
          count
        )
      }
      for (const id of [1000n, 1000n * BigInt(count - 1)]) {
        const found = yield* find(store, PetId.make(id))
        yield* expectAllOrNone(`get(${id})`, found === null ? 0 : 1, 1)
      }
      yield* pause
    })
    const over = Effect.sync(() => {
      isOver = true
    })
    const [added] = yield* Effect.zip(
      Effect.ensuring(outcome(slowly), over),
      Effect.repeat(read, { until: () => isOver }),
      { concurrent: true }
    )
    yield* expectSame("the import", added, { added: count })
    yield* Effect.repeatN(read, 1)
    yield* expectThat(hasArrived, { what: "the import", expected: "all pets", actual: "none" })
  })
)

/** A walk misses what is imported behind it, but not what is ahead of it. */
const walks = Law.make(
  "a walk during an import sees all of its pets after the first one that it sees",
  Effect.gen(function* () {
    yield* addAll(variousPets(20))
    const walked: Array<ReadonlyArray<bigint>> = []
    let isOver = false
    const ids = Effect.map(walk(7), (pets) =>
      pets.filter((pet) => pet.name === "import").map((pet) => pet.id)
    )
    const over = Effect.sync(() => {
      isOver = true
    })
    yield* Effect.zip(
      Effect.ensuring(outcome(slowly), over),
      Effect.repeat(
        Effect.map(ids, (met) => walked.push(met)),
        { until: () => isOver }
      ),
      { concurrent: true }
    )
    const all = yield* ids
    yield* expectSame("how many pets were imported", all.length, count)
    for (const met of walked) {
      yield* expectSame(
        "the imported pets that a walk met",
        met,
        all.slice(all.length - met.length)
      )
    }
  })
)

/** Pets added during an import are not lost and do not get the id of an imported pet. */
const together = Law.make(
  "concurrent imports and adds are all kept, with different ids",
  Effect.gen(function* () {
    const store = yield* PetStore
    // New pets get ids above this one, so none of an imported pet.
    const before = yield* importInto([], [imported(newPet("Rex"), 1_000_000n)])
    const imports = Array.from({ length: 4 }, (_, turn) =>
      variousPets(25).map((pet, nth) =>
        imported(pet, nth % 2 === 0 ? BigInt(turn + 10 * (nth + 1)) : undefined)
      )
    )
    const [outcomes, added] = yield* Effect.zip(
      Effect.forEach(imports, (pets) => outcome(Stream.rechunk(streamOf(pets), 5)), {
        concurrency
      }),
      Effect.forEach(variousPets(40), store.add, { concurrency: 4 }),
      { concurrent: true }
    )
    yield* expectSame(
      "the imports",
      outcomes,
      imports.map((pets) => ({ added: pets.length }))
    )
    const listed = yield* walk(100)
    const known = new Set([...before, ...added].map((pet) => pet.id))
    const arrived = listed.filter((pet) => !known.has(pet.id))
    const inWords = ({ id, name }: { readonly id?: bigint; readonly name: string }) =>
      `${id !== undefined && id < 1_000_000n ? id : "new"} ${name}`
    yield* expectSame(
      "the imported pets",
      arrived.map(inWords).sort(),
      imports.flat().map(inWords).sort()
    )
    yield* expectHolds(Model.ascending([...before, ...added, ...arrived]))
  })
)

/** Otherwise two pets would share an id. */
const rivals = Law.make(
  "of concurrent imports with the same id exactly one is added",
  Effect.gen(function* () {
    const id = PetId.make(77n)
    const imports = Array.from({ length: 6 }, (_, nth) => [
      imported(newPet(`before ${nth}`)),
      imported(newPet(`pet ${nth}`), id)
    ])
    const outcomes = yield* Effect.forEach(
      imports,
      (pets) => outcome(Stream.rechunk(streamOf(pets), 1)),
      { concurrency }
    )
    const added = outcomes.filter((one) => "added" in one)
    yield* expectSame("the imports that were added", added, [{ added: 2 }])
    const others = outcomes.filter((one) => !("added" in one))
    const refused = { taken: [{ place: 10, id }], count: 1 }
    yield* expectSame("the others", others, Array(5).fill(refused))
    const names = (yield* walk(100)).map((pet) => pet.name)
    const winner = outcomes.findIndex((one) => "added" in one)
    yield* expectSame("the pets", names, [`pet ${winner}`, `before ${winner}`])
  })
)

/** Longer than any call of a store takes. */
const patience = "20 seconds"

type Call = Effect.Effect<unknown, Mismatch | StoreUnavailable, PetStore>

/** A file may come from a slow network. */
const waiting = Law.make(
  "an import whose pets are slow to arrive delays no other call",
  Effect.gen(function* () {
    const store = yield* PetStore
    const [rex] = yield* addAll([newPet("Rex")])
    const hasBegun = yield* Deferred.make<void>()
    const goOn = yield* Deferred.make<void>()
    const wait = Effect.zipRight(Deferred.succeed(hasBegun, undefined), Deferred.await(goOn))
    const stream = Stream.rechunk(streamOf(arriving), 7).pipe(
      Stream.concat(Stream.drain(Stream.fromEffect(wait)))
    )
    const importing = yield* Effect.fork(outcome(stream))
    yield* Effect.raceFirst(Deferred.await(hasBegun), Fiber.join(importing))
    const others: Readonly<Record<string, Call>> = {
      add: store.add(newPet("Tom")),
      addOnce: addOnce(newPet("Ida"), "key"),
      addAll: outcome(streamOf([imported(newPet("Max"))])),
      get: rex === undefined ? Effect.void : find(store, rex.id),
      list: store.list(Model.query(100))
    }
    yield* Effect.forEach(Object.entries(others), ([name, call]) =>
      Effect.timeoutFail(Effect.disconnect(call), {
        duration: patience,
        onTimeout: () =>
          new Mismatch({
            what: `${name} while an import waits for its pets`,
            expected: "an answer",
            actual: "none before the import goes on"
          })
      })
    ).pipe(Effect.ensuring(Deferred.succeed(goOn, undefined)))
    yield* expectSame("the import", yield* Fiber.join(importing), { added: count })
  })
)

/** The laws about imports while others read and write. */
export const laws = { whole, walks, waiting, together, rivals }
