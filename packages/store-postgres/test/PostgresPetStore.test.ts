import { describe, expect } from "@effect/vitest"
import { PetId } from "@petstore/domain/Pet"
import { PetStore } from "@petstore/domain/PetStore"
import * as Int64 from "@petstore/kernel/Int64"
import * as PostgresIds from "@petstore/store-postgres/PostgresIds"
import { sharedSuite } from "@petstore/store-testkit/vitest"
import { Effect, Either, Option, Redacted, Stream } from "effect"
import {
  admin,
  connect,
  database,
  limit,
  live,
  names,
  openStore,
  patient,
  pet,
  place
} from "./support/Databases.ts"

sharedSuite("PostgresPetStore", place)

live("the last id that was assigned may be raised, but not lowered", function* () {
  const options = patient(yield* database)
  const store = yield* openStore(options)
  const other = yield* connect(options.url)
  expect(yield* PostgresIds.last(options)).toBe(0n)
  yield* Effect.replicateEffect(store.add(pet("Rex")), 3)
  yield* Effect.promise(() => other.query("DELETE FROM pets WHERE id > 1"))
  yield* PostgresIds.raise(options, PetId.make(2n))
  expect(yield* PostgresIds.last(options)).toBe(3n)
  yield* PostgresIds.raise(options, PetId.make(9_007_199_254_740_993n))
  expect((yield* store.add(pet("Rex"))).id).toBe(9_007_199_254_740_994n)
})

type Store = PetStore["Type"]

const writers = 64
const readers = 8
const addsOfEach = 15

/** Adds pets through all stores at once; each reader follows `next` until there is nothing more. */
const race = (stores: ReadonlyArray<Store>) =>
  Effect.gen(function* () {
    const storeOf = (nth: number): Store => stores[nth % stores.length] ?? stores[0] ?? fail()
    let isAdding = true
    const write = Effect.forEach(
      Array.from({ length: writers }, (_, nth) => nth),
      (nth) =>
        Effect.replicateEffect(
          Effect.map(storeOf(nth).add(pet(`pet of ${nth}`)), ({ id }) => id),
          addsOfEach
        ),
      { concurrency: "unbounded" }
    ).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          isAdding = false
        })
      )
    )
    const follow = (store: Store) =>
      Effect.gen(function* () {
        const met: Array<PetId> = []
        while (true) {
          const isLast = !isAdding
          const after = met.at(-1)
          const page = yield* store.list({ limit, ...(after === undefined ? {} : { after }) })
          met.push(...page.pets.map(({ id }) => id))
          if (isLast && Option.isNone(page.next)) return met
        }
      })
    const [added, met] = yield* Effect.zip(
      write,
      Effect.forEach(
        Array.from({ length: readers }, (_, nth) => nth),
        (nth) => follow(storeOf(nth)),
        { concurrency: "unbounded" }
      ),
      { concurrent: true }
    )
    return { added: added.flat().sort((a, b) => (a < b ? -1 : 1)), met }
  })

const fail = (): never => {
  throw new Error("no store")
}

describe("pets that several servers add", () => {
  live("are met once and in order by readers that follow, and none is missed", function* () {
    const url = yield* database
    const batches: Array<number> = []
    const options = { ...patient(url), onBatch: (size: number) => batches.push(size) }
    const stores = [yield* openStore(options), yield* openStore(options)]
    const { added, met } = yield* race(stores)
    expect(added.length).toBe(writers * addsOfEach)
    expect(new Set(added).size).toBe(added.length)
    for (const one of met) expect(one).toEqual(added)
    // Writes that arrive together go together.
    expect(batches.length).toBeLessThan(added.length / 4)
  })

  live("are all added, too, if the database serializes transactions by default", function* () {
    const url = yield* database
    const { pathname } = new URL(Redacted.value(url))
    yield* admin(
      `ALTER DATABASE ${pathname.slice(1)} SET default_transaction_isolation = 'serializable'`
    )
    const stores = [yield* openStore(patient(url)), yield* openStore(patient(url))]
    const { added, met } = yield* race(stores)
    expect(new Set(added).size).toBe(writers * addsOfEach)
    for (const one of met) expect(one).toEqual(added)
  })
})

describe("ids", () => {
  live("are assigned up to the last one, also when more pets arrive together", function* () {
    const store = yield* openStore({ url: yield* database })
    const before = { ...pet("before"), id: PetId.make(Int64.max - 2n) }
    yield* store.addAll(Stream.make({ place: 1, pet: before }))
    const adds = Array.from({ length: 6 }, (_, nth) => Effect.either(store.add(pet(`${nth}`))))
    const added = yield* Effect.all(adds, { concurrency: "unbounded" })
    expect(added.map(Either.isRight)).toEqual([true, true, false, false, false, false])
    expect(added[2]).toMatchObject({ left: { _tag: "StoreUnavailable", reason: "full" } })
    expect(yield* names(store)).toEqual(["before", "0", "1"])
  })
})
