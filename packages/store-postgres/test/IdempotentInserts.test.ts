import { describe, expect, it } from "@effect/vitest"
import { lifetime } from "@petstore/domain/Idempotency"
import { valuesOf } from "@petstore/domain/Pet"
import { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import { Effect, Exit } from "effect"
import * as IdempotentInserts from "../src/internal/IdempotentInserts.ts"
import { connect, database, names, openStore, pet } from "./support/Databases.ts"

const setUp = Effect.gen(function* () {
  const url = yield* database
  const store = yield* openStore({ url })
  const other = yield* connect(url)
  const run = (sql: string) => Effect.promise(async () => (await other.query(sql)).rows)
  const keys = Effect.map(run("SELECT key FROM idempotency_keys ORDER BY at, key"), (rows) =>
    rows.map(({ key }) => key)
  )
  const addOnce = (key: string, at: number, name = key) => store.addOnce(pet(name), { key, at })
  return { addOnce, keys, run, store }
})

describe("expired keys", () => {
  it.scopedLive("are removed by new ones, two by each, the oldest first", () =>
    Effect.gen(function* () {
      const { addOnce, keys } = yield* setUp
      for (const [nth, key] of ["a", "b", "c", "d", "e"].entries()) yield* addOnce(key, nth)
      yield* addOnce("x", lifetime + 3)
      expect(yield* keys).toEqual(["c", "d", "e", "x"])
      yield* addOnce("y", lifetime + 3)
      expect(yield* keys).toEqual(["e", "x", "y"])
      yield* addOnce("z", lifetime + 3)
      expect(yield* keys).toEqual(["e", "x", "y", "z"])
    })
  )

  it.scopedLive("are found by an index", () =>
    Effect.gen(function* () {
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
  )
})

describe("a key whose pet was removed by hand", () => {
  it.scopedLive("is used again", () =>
    Effect.gen(function* () {
      const { addOnce, run, store } = yield* setUp
      yield* addOnce("key", 0, "Rex")
      yield* run("DELETE FROM pets")
      expect((yield* addOnce("key", 1, "Tom")).pet.id).toBe(2n)
      expect((yield* addOnce("key", 2, "Tom")).pet.id).toBe(2n)
      expect(yield* names(store)).toEqual(["Tom"])
    })
  )
})

const used = Exit.fail(
  new StoreUnavailable({
    reason: "down",
    cause: Object.assign(new Error(), { constraint: "idempotency_keys_are_unique" })
  })
)

describe("a batch", () => {
  it.scopedLive("may have pets with keys that were used, that were not, and without keys", () =>
    Effect.gen(function* () {
      const { addOnce, store } = yield* setUp
      yield* addOnce("known", 0, "Rex")
      const given = yield* Effect.all(
        [
          store.add(pet("first")),
          addOnce("known", 1, "Rex"),
          store.add(pet("plain")),
          addOnce("new", 1, "Tom"),
          addOnce("new", 2, "Tom"),
          Effect.flip(addOnce("new", 2, "Ida")),
          Effect.flip(addOnce("known", 2, "Ida"))
        ],
        { concurrency: "unbounded" }
      )
      expect(given).toMatchObject([
        { name: "first", id: 2n },
        { pet: { name: "Rex", id: 1n }, isRepeat: true },
        { name: "plain", id: 3n },
        { pet: { name: "Tom", id: 4n }, isRepeat: false },
        { pet: { name: "Tom", id: 4n }, isRepeat: true },
        { _tag: "IdempotencyRefused" },
        { _tag: "IdempotencyRefused" }
      ])
      expect(yield* names(store)).toEqual(["Rex", "first", "plain", "Tom"])
    })
  )

  it("learns which keys were used as often as it must", () => {
    const keyed = ["a", "b", "c"].map((key) => ({ pet: pet(key), once: { key, at: 0 } }))
    const inserted: Array<string> = []
    const results = [used, used, Exit.succeed([7n])]
    const found = [[["a", 1n, ...valuesOf(pet("a"))]], [["c", 3n, ...valuesOf(pet("other"))]]]
    const add = IdempotentInserts.make(
      (_, __, callback) => callback(Exit.succeed(Object(found.shift()))),
      (additions, callback) => {
        inserted.push(additions.map(({ once }) => once?.key).join())
        callback(results.shift() ?? expect.unreachable())
      }
    )
    let result: unknown
    add(keyed, (exit) => {
      result = exit
    })
    expect(result).toEqual(Exit.succeed([-1n, 7n, 0n]))
    expect(inserted).toEqual(["a,b,c", "b,c", "b"])
  })

  it("is inserted no more once all its keys are known, by a prepared statement", () => {
    const once = { key: "key", at: 0 }
    const calls: Array<unknown> = []
    const add = IdempotentInserts.make(
      (statement, _, callback) => {
        calls.push(Object(statement).name)
        callback(Exit.succeed(Object([["key", 1n, ...valuesOf(pet("Rex"))]])))
      },
      (additions, callback) => {
        calls.push(additions.length)
        callback(used)
      }
    )
    add([{ pet: pet("Rex"), once }], (exit) => calls.push(exit))
    expect(calls).toEqual([1, "petstore_find_once", Exit.succeed([-1n])])
  })

  it("is given up if a key of it is used and expires again and again", () => {
    const results: Array<unknown> = []
    let tries = 0
    const add = IdempotentInserts.make(
      (_, __, callback) => callback(Exit.succeed([])),
      (_, callback) => {
        tries++
        callback(used)
      }
    )
    add([{ pet: pet("Rex"), once: { key: "key", at: 0 } }], (exit) => results.push(exit))
    expect(results).toEqual([used])
    expect(tries).toBe(21)
  })

  it("without keys is inserted as it is", () => {
    const additions = [{ pet: pet("Rex") }, { pet: pet("Rex") }]
    const calls: Array<unknown> = []
    const add = IdempotentInserts.make(
      () => expect.unreachable(),
      (inserted, callback) => {
        calls.push(inserted)
        callback(Exit.succeed([1n, 2n]))
      }
    )
    add(additions, (exit) => calls.push(exit))
    expect(calls).toEqual([additions, Exit.succeed([1n, 2n])])
    expect(calls[0]).toBe(additions)
  })
})
