/** The most general law: a store gives the same results as a plain array of pets. */
import * as Idempotency from "@petstore/domain/Idempotency"
import * as ListPets from "@petstore/domain/ListPets"
import { type NewPet, type Pet, PetId, PetName } from "@petstore/domain/Pet"
import { PetStore } from "@petstore/domain/PetStore"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as fc from "effect/FastCheck"
import * as Runtime from "effect/Runtime"
import * as Struct from "effect/Struct"
import * as Law from "../Law.ts"
import { expectSame, expectThat, Mismatch, noAnswer } from "../Mismatch.ts"
import { start } from "./AddOnce.ts"
import { find } from "./Contents.ts"
import { arrivals, importInto, outcome, streamOf } from "./Import.ts"
import * as Model from "./Model.ts"
import { anyPet, farId, imported } from "./Samples.ts"

/** An id relative to a pet, since a store may assign any ids. */
interface IdRef {
  readonly nth: number
  readonly plus: bigint
}

type Operation =
  | { readonly add: NewPet }
  | { readonly addOnce: NewPet; readonly key: string }
  | { readonly addAll: ReadonlyArray<readonly [NewPet, IdRef | undefined]> }
  | { readonly get: IdRef }
  | {
      readonly list: {
        readonly limit: number
        /** Filters with the values of the pet at this place, so that some pets are shown. */
        readonly filters: ReadonlyArray<ListPets.Filter>
        readonly like: number
        readonly after: IdRef | undefined
      }
    }

/** The same sequences every time, with limits on time for slow stores. */
const parameters = { numRuns: 15, seed: 1, interruptAfterTimeLimit: 30_000 }

const idRef: fc.Arbitrary<IdRef> = fc.record({
  nth: fc.nat({ max: 40 }),
  plus: fc.constantFrom(0n, 1n, -1n)
})

/** Any character. The unit "binary" of fast-check is the same, but takes a second to prepare. */
const character = fc
  .integer({ min: 0, max: 0x10f7ff })
  .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800))

const pet: fc.Arbitrary<NewPet> = fc
  .tuple(anyPet, fc.string({ unit: character, minLength: 1 }))
  .map(([pet, name]) => Object.freeze({ ...pet, name: PetName.make(name.replaceAll("\0", "0")) }))

const add: fc.Arbitrary<Operation> = fc.record({ add: pet })

/** With few keys, so that some are repeated. */
const addOnce: fc.Arbitrary<Operation> = fc.record({
  addOnce: pet,
  key: fc.constantFrom("a", "b", "c")
})

/** Some have an id that is taken, some one beside it, and some one far from any other. */
const broughtId: fc.Arbitrary<IdRef> = fc.record({
  nth: fc.nat({ max: 40 }),
  plus: fc.constantFrom(0n, 1n, 2n, -1n, 50n, 2n ** 60n)
})

const addAll: fc.Arbitrary<Operation> = fc.record({
  addAll: fc.array(fc.tuple(pet, fc.option(broughtId, { nil: undefined })), { maxLength: 5 })
})

const get: fc.Arbitrary<Operation> = fc.record({ get: idRef })

const list: fc.Arbitrary<Operation> = fc.record({
  list: fc.record({
    limit: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 100 })),
    filters: fc.subarray([...ListPets.filters]),
    like: fc.nat({ max: 40 }),
    after: fc.option(idRef, { nil: undefined })
  })
})

const sequences: fc.Arbitrary<ReadonlyArray<Operation>> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: add },
    { weight: 2, arbitrary: addOnce },
    { weight: 1, arbitrary: addAll },
    { weight: 2, arbitrary: get },
    { weight: 4, arbitrary: list }
  ),
  { maxLength: 40, size: "max" }
)

const resolve = (pets: ReadonlyArray<Pet>, { nth, plus }: IdRef): PetId =>
  PetId.make((pets[nth % pets.length]?.id ?? 0n) + plus)

/** The id, moved to where it can be imported and leaves room for others. */
const importable = (id: bigint): bigint => (id < 1n ? 1n - id : id > farId ? id - farId : id)

const answer = "the answer"

/** Expects a pet that was added to follow all others, and puts it into the model. */
const expectAdded = (pet: Pet, newPet: NewPet, pets: Array<Pet>) =>
  Effect.gen(function* () {
    const greatest = pets.at(-1)?.id
    yield* expectThat(greatest === undefined || pet.id > greatest, {
      what: `${answer}.id`,
      expected: `one greater than ${greatest}`,
      actual: pet.id
    })
    const expected = { id: pet.id, ...newPet }
    yield* expectSame(answer, pet, expected)
    pets.push(expected)
    return expected
  })

/** Runs one operation on the store and on the model, which is the pets by ascending id and those of keys. */
const perform = (
  operation: Operation,
  pets: Array<Pet>,
  keys: Map<string, Pet>
): Effect.Effect<void, Mismatch | StoreUnavailable, PetStore> =>
  Effect.gen(function* () {
    const store = yield* PetStore
    if ("add" in operation) {
      yield* expectAdded(yield* store.add(operation.add), operation.add, pets)
    } else if ("addOnce" in operation) {
      const { addOnce: newPet, key } = operation
      const given = yield* store.addOnce(newPet, Idempotency.make(key, start))
      const pet = keys.get(key)
      if (pet !== undefined) return yield* expectSame(answer, given, { pet, isRepeat: true })
      yield* expectSame(`${answer}.isRepeat`, given.isRepeat, false)
      keys.set(key, yield* expectAdded(given.pet, newPet, pets))
    } else if ("addAll" in operation) {
      const arriving = operation.addAll.map(([pet, id]) =>
        imported(pet, id && importable(resolve(pets, id)))
      )
      const taken = Model.taken(pets, arrivals(arriving))
      if (taken.length === 0) {
        pets.splice(0, pets.length, ...(yield* importInto(pets, arriving)))
      } else {
        const refused = { taken, count: taken.length }
        yield* expectSame(answer, yield* outcome(streamOf(arriving)), refused)
      }
    } else if ("get" in operation) {
      const id = resolve(pets, operation.get)
      const expected = pets.find((pet) => pet.id === id) ?? null
      yield* expectSame(answer, yield* find(store, id), expected)
    } else {
      const { after, filters, like, limit } = operation.list
      const parameters: ListPets.Parameters = pets[like % pets.length] ?? {}
      const query = Model.query(
        limit,
        Struct.pick(parameters, ...filters),
        after && resolve(pets, after)
      )
      const actual = Model.pageOf(yield* store.list(query))
      yield* expectSame(answer, actual, Model.page(pets, query))
    }
  })

/** Runs the operations until store and model disagree, and then reports all that were run. */
const performAll = (
  operations: ReadonlyArray<Operation>
): Effect.Effect<void, Mismatch, PetStore> =>
  Effect.suspend(() => {
    const pets: Array<Pet> = []
    const keys = new Map<string, Pet>()
    return Effect.forEach(
      operations,
      (operation, i) =>
        Effect.mapError(perform(operation, pets, keys), (error) => {
          const { actual, cause, expected, what } =
            error instanceof Mismatch ? error : noAnswer(answer, error)
          const done = operations.slice(0, i + 1).map((each) => fc.stringify(each))
          return new Mismatch({ what: `${done.join(" then ")}: ${what}`, expected, actual, cause })
        }),
      { discard: true }
    )
  })

/** Random operations; reports the shortest sequence found that the store gets wrong. */
export const law: Law.Law = Law.makeAt(
  "random operations give the results of a plain array",
  (place) =>
    Effect.gen(function* () {
      const attempt = (operations: ReadonlyArray<Operation>) =>
        Effect.scoped(
          Effect.flatMap(place, (layer) => Effect.provide(performAll(operations), layer))
        )
      const run = Runtime.runPromiseExit(yield* Effect.runtime())
      const { counterexample } = yield* Effect.promise((signal) =>
        fc.check(
          fc.asyncProperty(sequences, (operations) =>
            run(attempt(operations), { signal }).then(Exit.isSuccess)
          ),
          parameters
        )
      )
      if (counterexample === null) return
      const [operations] = counterexample
      yield* attempt(operations)
      yield* new Mismatch({
        what: fc.stringify(operations),
        expected: "the same answers every time",
        actual: "a wrong one at first, and none when tried again"
      })
    })
)
