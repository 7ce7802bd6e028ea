import { describe, expect } from "@effect/vitest"
import * as Idempotency from "@petstore/domain/Idempotency"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { Effect, Exit, Fiber } from "effect"
import type { Send } from "../src/internal/ConnectionPool.ts"
import * as PostgresFailure from "../src/internal/PostgresFailure.ts"
import { arraysOf } from "../src/internal/Statement.ts"
import * as Writer from "../src/internal/Writer.ts"
import {
  connectToRun,
  database,
  live,
  names,
  openPool,
  openStore,
  patient,
  pet
} from "./support/Databases.ts"

const over = Exit.fail(PostgresFailure.from(new Error("the test is over")))

/** A queue that has sent its first pet and waits for the answer. */
const setUp = Effect.gen(function* () {
  /** The name of each prepared statement, with its values. */
  const sent: Array<ReadonlyArray<unknown>> = []
  const callbacks: Array<(exit: Exit.Exit<unknown, StoreUnavailable>) => void> = []
  let isOver = false
  const send: Send = (statement, values, callback) => {
    if (isOver) return callback(over)
    sent.push([Object(statement).name, ...values])
    callbacks.push((exit) => callback(Object(exit)))
  }
  const write = yield* Writer.make({ patience: 60_000, send })
  const add = (name: string, once?: Idempotency.Idempotency) =>
    Effect.fork(write({ pet: pet(name), ...(once && { once }) })).pipe(
      Effect.zipLeft(Effect.yieldNow())
    )
  /** Answers the statement that was sent last. */
  const answer = (exit: Exit.Exit<unknown, StoreUnavailable>) => callbacks.pop()?.(exit)
  // The queue waits for all answers when it is closed.
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      isOver = true
      answer(over)
    })
  )
  const first = yield* add("first")
  return { add, answer, first, sent }
})

const done = (last: bigint) => Exit.succeed([[last]])

describe("pets that wait", () => {
  live("get ids in their order, also in the largest batch", function* () {
    const { add, answer } = yield* setUp
    const added = yield* Effect.forEach(Array(256), (_, nth) => add(`${nth}`))
    answer(done(1n))
    answer(done(257n))
    const results = yield* Fiber.join(Fiber.all(added))
    expect(results.map(({ pet: { id, name } }) => [id, name])).toEqual(
      results.map((_, nth) => [BigInt(nth + 2), `${nth}`])
    )
  })

  for (const [code, how, statements] of [
    ["55P03", "fail when those before them did not get a lock in time", 1],
    ["XX001", "are tried when those before them failed for another reason", 2]
  ] as const) {
    live(how, function* () {
      const { add, answer, first, sent } = yield* setUp
      const second = yield* add("second")
      const failed = Exit.fail(PostgresFailure.from(Object.assign(new Error(), { code })))
      answer(failed)
      expect(yield* Fiber.await(first)).toEqual(failed)
      expect(sent.length).toBe(statements)
      if (statements === 1) expect(yield* Fiber.await(second)).toEqual(failed)
    })
  }

  live("have a new plan once the table of keys is four times as large", function* () {
    const { add, answer, sent } = yield* setUp
    answer(done(1n))
    for (const bytes of [0n, 3n, 4n, 15n, 16n]) {
      yield* add("Rex", Idempotency.make(`${bytes}`, 0))
      answer(Exit.succeed([[1n, bytes, null]]))
    }
    yield* add("Rex")
    answer(done(1n))
    yield* add("Rex", Idempotency.make("last", 0))
    expect(sent.map(([name]) => name)).toEqual([
      "petstore_add",
      ...[1, 1, 1, 2, 2].map((size) => `petstore_add_once_${size}`),
      "petstore_add",
      "petstore_add_once_3"
    ])
  })
})

describe("a pet", () => {
  live("is not added if the table of ids is empty: the database is damaged", function* () {
    const { answer, first } = yield* setUp
    answer(Exit.succeed([]))
    expect(yield* Effect.flip(Fiber.join(first))).toMatchObject({
      reason: "damaged",
      cause: { message: "the table pet_ids has no row" }
    })
  })
})

const setUpKeys = Effect.gen(function* () {
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
    const { addOnce, keys } = yield* setUpKeys
    for (const [nth, key] of ["a", "b", "c", "d", "e"].entries()) yield* addOnce(key, nth)
    yield* addOnce("x", Idempotency.lifetime + 3)
    expect(yield* keys).toEqual(["c", "d", "e", "x"])
    yield* addOnce("y", Idempotency.lifetime + 3)
    expect(yield* keys).toEqual(["e", "x", "y"])
    yield* addOnce("z", Idempotency.lifetime + 3)
    expect(yield* keys).toEqual(["e", "x", "y", "z"])
  })

  live("are removed by new ones that arrive together, two by each of them", function* () {
    const { addOnce, keys, run } = yield* setUpKeys
    yield* run(
      "INSERT INTO idempotency_keys SELECT 'old' || i, i, i FROM generate_series(1, 60) AS i"
    )
    const added = Array.from({ length: 40 }, (_, nth) => `new${nth}`)
    const now = Idempotency.lifetime + 1000
    yield* Effect.forEach(added, (key) => addOnce(key, now), { concurrency: "unbounded" })
    expect(yield* keys).toEqual(added.sort())
  })

  live("are left to another one that removes them at this moment", function* () {
    const { addOnce, keys, run } = yield* setUpKeys
    yield* addOnce("old", 0)
    yield* run("BEGIN; SELECT 1 FROM idempotency_keys FOR UPDATE")
    yield* addOnce("new", Idempotency.lifetime + 1)
    expect(yield* keys).toEqual(["old", "new"])
    yield* run("ROLLBACK")
  })
})

describe("an add whose key cannot be kept", () => {
  live("leaves no pet", function* () {
    const { addOnce, run, store } = yield* setUpKeys
    yield* run("ALTER TABLE idempotency_keys ADD CHECK (key <> 'refused')")
    yield* Effect.flip(addOnce("refused", 0))
    expect(yield* names(store)).toEqual([])
  })
})

describe("a batch", () => {
  live("goes by the time of each add: one may repeat what has expired for another", function* () {
    const { addOnce, keys, store } = yield* setUpKeys
    for (const [key, at] of [
      ["a", 10],
      ["b", 10],
      ["c", 12]
    ] as const)
      yield* addOnce(key, at)
    const given = yield* Effect.all(
      [
        store.add(pet("first")),
        addOnce("a", Idempotency.lifetime + 9),
        addOnce("b", Idempotency.lifetime + 11),
        addOnce("x", Idempotency.lifetime + 13)
      ],
      { concurrency: "unbounded" }
    )
    expect(given).toMatchObject([{}, { isRepeat: true }, { isRepeat: false }, { isRepeat: false }])
    // Removed is what has expired for all of those that were added.
    expect(yield* keys).toEqual(["c", "b", "x"])
  })
})

describe("the statement for adds with keys", () => {
  live("has one plan for batches of any size, which searches no large table", function* () {
    const url = yield* database
    yield* openStore({ url })
    const pool = yield* openPool({ ...patient(url), maxConnections: 1 })
    const add = yield* Writer.make(pool)
    for (const [table, row] of [
      ["pets (id, name, category_id)", "i, 'Rex', 1"],
      ["idempotency_keys", "i, i, i"]
    ]) {
      yield* pool.query(`INSERT INTO ${table} SELECT ${row} FROM generate_series(1, 20000) AS i`)
    }
    yield* pool.query("UPDATE pet_ids SET last = 20000")
    yield* pool.query("ANALYZE pets, idempotency_keys")
    for (const size of [1, 8, 3, 1, 2, 5, 40, 1, 9, 1]) {
      const keys = Array.from({ length: size }, (_, nth) => `${size} ${nth}`)
      yield* Effect.forEach(keys, (key) => add({ pet: pet(key), once: Idempotency.make(key, 0) }), {
        concurrency: "unbounded"
      })
    }
    const [last] = yield* pool.query<[name: string, custom: bigint, generic: bigint]>(
      `SELECT name, custom_plans, generic_plans FROM pg_prepared_statements
        WHERE name LIKE 'petstore_add_once%' ORDER BY prepare_time DESC LIMIT 1`
    )
    const [name, custom, generic] = last ?? expect.unreachable()
    expect(custom).toBe(5n)
    expect(generic).toBeGreaterThan(5n)
    const values = [["new"], [0], [0], ...arraysOf([pet("Rex")])].map(
      ([value]) => `'{${value ?? "NULL"}}'`
    )
    const plan = yield* pool.query<[line: string]>(`EXPLAIN EXECUTE ${name} (${values})`)
    const scans = plan.flatMap(([line]) => /Seq Scan on \w+/.exec(line) ?? [])
    expect(scans.filter((scan) => scan !== "Seq Scan on pet_ids")).toEqual([])
  })
})
