import { describe, expect, it } from "@effect/vitest"
import * as Idempotency from "@petstore/domain/Idempotency"
import { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { valuesOf } from "@petstore/store-sql/PetRow"
import { Effect, Exit } from "effect"
import * as IdempotentInserts from "../src/internal/IdempotentInserts.ts"
import { connectToRun, database, live, names, openStore, pet } from "./support/Databases.ts"

const setUp = Effect.gen(function* () {
  const url = yield* database
  const store = yield* openStore({ url })
  const { run } = yield* connectToRun(url)
  const keys = Effect.map(run("SELECT key FROM idempotency_keys ORDER BY at, key"), (rows) =>
    rows.map(({ key }) => key)
  )
  const addOnce = (key: string, at: number, name = key) =>
    store.addOnce(pet(name), Idempotency.make(key, at))
  return { addOnce, keys, run, store }
})

describe("expired keys", () => {
  live("are removed by new ones, two by each, the oldest first", function* () {
    const { addOnce, keys } = yield* setUp
    for (const [nth, key] of ["a", "b", "c", "d", "e"].entries()) yield* addOnce(key, nth)
    yield* addOnce("x", Idempotency.lifetime + 3)
    expect(yield* keys).toEqual(["c", "d", "e", "x"])
    yield* addOnce("y", Idempotency.lifetime + 3)
    expect(yield* keys).toEqual(["e", "x", "y"])
    yield* addOnce("z", Idempotency.lifetime + 3)
    expect(yield* keys).toEqual(["e", "x", "y", "z"])
  })

  live("are removed by new ones that arrive together, two by each of them", function* () {
    const { addOnce, keys, run } = yield* setUp
    yield* run(
      "INSERT INTO idempotency_keys SELECT 'old' || i, i, i FROM generate_series(1, 60) AS i"
    )
    const added = Array.from({ length: 40 }, (_, nth) => `new${nth}`)
    const now = Idempotency.lifetime + 1000
    yield* Effect.forEach(added, (key) => addOnce(key, now), { concurrency: "unbounded" })
    expect(yield* keys).toEqual(added.sort())
  })

  live("are left to another one that removes them at this moment", function* () {
    const { addOnce, keys, run } = yield* setUp
    yield* addOnce("old", 0)
    yield* run("BEGIN; SELECT 1 FROM idempotency_keys FOR UPDATE")
    yield* addOnce("new", Idempotency.lifetime + 1)
    expect(yield* keys).toEqual(["old", "new"])
    yield* run("ROLLBACK")
  })

  live("are found by an index", function* () {
    const { run } = yield* setUp
    yield* run(
      "INSERT INTO idempotency_keys SELECT i::text, i, i FROM generate_series(1, 20000) AS i"
    )
    yield* run("ANALYZE idempotency_keys")
    const plan = yield* run(
      "EXPLAIN SELECT key FROM idempotency_keys WHERE at <= 10000 ORDER BY at LIMIT 2"
    )
    expect(JSON.stringify(plan)).toContain("Index Scan using idempotency_keys_by_time")
  })
})

describe("a key whose pet was removed by hand", () => {
  live("is used again", function* () {
    const { addOnce, run, store } = yield* setUp
    yield* addOnce("key", 0, "Rex")
    yield* run("DELETE FROM pets")
    expect((yield* addOnce("key", 1, "Tom")).pet.id).toBe(2n)
    expect((yield* addOnce("key", 2, "Tom")).pet.id).toBe(2n)
    expect(yield* names(store)).toEqual(["Tom"])
  })
})

describe("an add whose key cannot be kept", () => {
  live("leaves no pet", function* () {
    const { addOnce, run, store } = yield* setUp
    yield* run("ALTER TABLE idempotency_keys ADD CHECK (key <> 'refused')")
    yield* Effect.flip(addOnce("refused", 0))
    expect(yield* names(store)).toEqual([])
  })
})

const used = Exit.fail(
  new StoreUnavailable({
    reason: "down",
    cause: Object.assign(new Error(), { constraint: "idempotency_keys_are_unique" })
  })
)

const keyed = { pet: pet("Rex"), once: Idempotency.make("key", 0) }

/** Adds these with inserts that end like this, and finds like these: the keys of each insert, each other statement, the end. */
const add = (
  additions: ReadonlyArray<IdempotentInserts.Addition>,
  inserts: Array<Parameters<Parameters<IdempotentInserts.Insert>[1]>[0]>,
  found: Array<unknown>
) => {
  const calls: Array<unknown> = []
  const commit = IdempotentInserts.make(
    (statement, _, callback) => {
      calls.push(Object(statement).name)
      callback(Exit.succeed(Object(found.shift())))
    },
    (inserted, callback) => {
      calls.push(inserted.map(({ once }) => once?.key))
      callback(inserts.shift() ?? expect.unreachable())
    }
  )
  commit(additions, (exit) => calls.push(exit))
  return calls
}

describe("a batch", () => {
  live("may have pets with keys that were used, that were not, and without keys", function* () {
    const { addOnce, store } = yield* setUp
    yield* addOnce("known", 0, "Rex")
    const given = yield* Effect.all(
      [
        store.add(pet("first")),
        addOnce("known", 1, "Rex"),
        store.add(pet("plain")),
        addOnce("new", 1, "Tom"),
        addOnce("new", 2, "Tom"),
        addOnce("new", 2, "Ida"),
        addOnce("known", 2, "Ida")
      ],
      { concurrency: "unbounded" }
    )
    expect(given).toMatchObject([
      { name: "first", id: 2n },
      { pet: { name: "Rex", id: 1n }, isRepeat: true },
      { name: "plain", id: 3n },
      { pet: { name: "Tom", id: 4n }, isRepeat: false },
      { pet: { name: "Tom", id: 4n }, isRepeat: true },
      { pet: { name: "Tom", id: 4n }, isRepeat: true },
      { pet: { name: "Rex", id: 1n }, isRepeat: true }
    ])
    expect(yield* addOnce("known", 3)).toMatchObject({ pet: { id: 1n }, isRepeat: true })
    expect(yield* names(store)).toEqual(["Rex", "first", "plain", "Tom"])
  })

  it("learns which keys were used as often as it must, and inserts the rest", () => {
    const keyed = ["a", "b", "c"].map((key) => ({ pet: pet(key), once: Idempotency.make(key, 0) }))
    const inserts = [used, used, Exit.succeed([7n])]
    const found = [[["a", 1n, ...valuesOf(pet("a"))]], [["c", 3n, ...valuesOf(pet("other"))]]]
    expect(add(keyed, inserts, found)).toEqual([
      ["a", "b", "c"],
      "petstore_find_once",
      ["b", "c"],
      "petstore_find_once",
      ["b"],
      Exit.succeed([
        { pet: { id: 1n, ...pet("a") }, isRepeat: true },
        { pet: { id: 7n, ...pet("b") }, isRepeat: false },
        { pet: { id: 3n, ...pet("other") }, isRepeat: true }
      ])
    ])
  })

  it("is inserted no more once all its keys are known", () => {
    expect(add([keyed], [used], [[["key", 1n, ...valuesOf(pet("Rex"))]]])).toEqual([
      ["key"],
      "petstore_find_once",
      Exit.succeed([{ pet: { id: 1n, ...pet("Rex") }, isRepeat: true }])
    ])
  })

  it("is given up if a key of it is used and expires again and again", () => {
    const calls = add([keyed], Array(99).fill(used), Array(99).fill([]))
    expect(calls.filter((call) => Array.isArray(call))).toHaveLength(21)
    expect(calls.at(-1)).toEqual(used)
  })

  it("fails as the search for its keys does", () => {
    const busy = Exit.fail(new StoreUnavailable({ reason: "busy" }))
    const ends: Array<unknown> = []
    const commit = IdempotentInserts.make(
      (_, __, callback) => callback(busy),
      (_, callback) => callback(used)
    )
    commit([keyed], (exit) => ends.push(exit))
    expect(ends).toEqual([busy])
  })

  it("without keys is inserted as it is", () => {
    const addition = { pet: pet("Rex") }
    const added = [1n, 2n].map((id) => ({ pet: { id, ...pet("Rex") }, isRepeat: false }))
    // An effect that is run twice adds the same object twice.
    expect(add([addition, addition], [Exit.succeed([1n, 2n])], [])).toEqual([
      [undefined, undefined],
      Exit.succeed(added)
    ])
  })
})
