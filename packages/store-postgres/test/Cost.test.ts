/** What operations cost: statements, connections and writes. */
import { describe, expect } from "@effect/vitest"
import * as Idempotency from "@petstore/domain/Idempotency"
import { PetId } from "@petstore/domain/Pet"
import { PageLimit } from "@petstore/domain/PetPage"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { ours } from "@petstore/local-postgres/support/Session"
import { Effect, Fiber } from "effect"
import pg from "pg"
import { beforeEach, vi } from "vitest"
import type { Statement } from "../src/internal/Statement.ts"
import {
  connectToRun,
  counted,
  database,
  live,
  openPool,
  openStore,
  patient,
  pet,
  withParameters
} from "./support/Databases.ts"
import { expectFailure } from "./support/Failures.ts"

const statements = vi.spyOn(pg.Client.prototype, "query")
beforeEach(() => void statements.mockClear())

const lifetime = Idempotency.lifetime

/** Two servers of one database, and another connection to it. */
const setUp = Effect.gen(function* () {
  const url = yield* database
  const open = Effect.gen(function* () {
    const { counts, onOpen } = counted()
    const store = yield* openStore({ ...patient(url), onOpen })
    const { opened } = counts()
    return {
      ...store,
      addOnce: (key: string, at = 0, name = key) =>
        store.addOnce(pet(name), Idempotency.make(key, at)),
      /** The connections that were opened since, and those that were lost. */
      lost: () => [counts().opened - opened, counts().failed]
    }
  })
  const [store, second] = yield* Effect.all([open, open])
  const session = yield* connectToRun(url)
  /** The names of the statements that an operation sends. */
  const sentBy = (operation: Effect.Effect<unknown, unknown>) =>
    Effect.suspend(() => {
      statements.mockClear()
      return Effect.map(operation, () =>
        statements.mock.calls.map(([config]) => Object(config).name.replace(/_\d+$/, ""))
      )
    })
  /** The names of all pets, and the pet of each key. */
  const contents = Effect.map(
    session.run(
      `SELECT (SELECT json_agg(name ORDER BY id) FROM pets) AS pets,
        (SELECT json_object_agg(key, pet_id) FROM idempotency_keys) AS keys`
    ),
    ([row]) => row
  )
  return { ...session, contents, second, sentBy, store, url }
})

const all = { concurrency: "unbounded" } as const

describe("one statement and no new connection", () => {
  live("is what an add, a read and a list cost, and all reads of a turn", function* () {
    const { sentBy, store } = yield* setUp
    const get = (id: bigint) => store.get(PetId.make(id))
    const list = (limit: number) => store.list({ limit: PageLimit.make(limit) })
    expect(yield* sentBy(store.add(pet("Rex")))).toEqual(["petstore_add"])
    yield* store.add(pet("Tom"))
    expect(yield* sentBy(get(1n))).toEqual(["petstore_pets"])
    expect(yield* sentBy(Effect.all([get(1n), get(2n), get(1n)], all))).toEqual(["petstore_pets"])
    expect(yield* sentBy(list(1))).toHaveLength(1)
    expect(yield* sentBy(Effect.all([list(1), list(2)], all))).toHaveLength(1)
    expect(store.lost()).toEqual([0, 0])
  })

  live(
    "is what an add with a key costs, also if it is repeated, which writes nothing",
    function* () {
      const { run, sentBy, store } = yield* setUp
      expect(yield* sentBy(store.addOnce("key"))).toEqual(["petstore_add_once"])
      const written = run("SELECT xmin, xmax, last FROM pet_ids")
      const before = yield* written
      for (let nth = 0; nth < 20; nth++) {
        expect(yield* sentBy(store.addOnce("key"))).toEqual(["petstore_add_once"])
      }
      expect(yield* written).toEqual(before)
      expect(store.lost()).toEqual([0, 0])
    }
  )

  live("is what a batch costs that has new and known keys, and pets without", function* () {
    const { contents, sentBy, store } = yield* setUp
    yield* store.addOnce("a")
    const adds: ReadonlyArray<Effect.Effect<unknown, StoreUnavailable>> = [
      ...["first", "a", "b", "c", "b"].map((key) => store.addOnce(key)),
      store.add(pet("plain"))
    ]
    // The first does not wait for the others.
    expect(yield* sentBy(Effect.all(adds, all))).toEqual(["petstore_add_once", "petstore_add_once"])
    expect(yield* contents).toEqual({
      pets: ["a", "first", "b", "c", "plain"],
      keys: { a: 1, first: 2, b: 3, c: 4 }
    })
    expect(store.lost()).toEqual([0, 0])
  })

  live("is what it costs to use a key again that has expired, or whose pet is gone", function* () {
    const { contents, run, sentBy, store } = yield* setUp
    yield* store.addOnce("expired")
    yield* store.addOnce("gone", lifetime)
    yield* run("DELETE FROM pets WHERE id = 2")
    for (const key of ["expired", "gone"]) {
      const again = store.addOnce(key, lifetime, "again")
      expect(yield* sentBy(again)).toEqual(["petstore_add_once"])
      expect(yield* again).toMatchObject({ pet: { name: "again" }, isRepeat: true })
    }
    expect(yield* contents).toEqual({
      pets: ["expired", "again", "again"],
      keys: { expired: 3, gone: 4 }
    })
    expect(store.lost()).toEqual([0, 0])
  })
})

describe("two servers that add with the same key at once", () => {
  for (const what of ["new", "expired"]) {
    live(`add one pet if it is ${what}, and keep their connections`, function* () {
      const { contents, run, second, store, url } = yield* setUp
      if (what === "expired") yield* store.addOnce("key", 0, "old")
      // Each has read before the other one has written.
      yield* run("BEGIN; SELECT FROM pet_ids FOR UPDATE")
      const add = ({ addOnce }: typeof store, name: string) => addOnce("key", 2 * lifetime, name)
      const adding = yield* Effect.fork(
        Effect.all([add(store, "Rex"), add(second, "Tom")], { concurrency: 2 })
      )
      const watch = yield* connectToRun(url)
      const blocked = watch.run(`SELECT 1 ${ours} AND wait_event_type = 'Lock'`)
      yield* Effect.repeat(Effect.delay(blocked, "10 millis"), {
        until: ({ length }) => length === 2
      })
      yield* run("ROLLBACK")
      const added = yield* Fiber.join(adding)
      expect(added.map(({ isRepeat }) => isRepeat).toSorted()).toEqual([false, true])
      expect(added[0].pet).toEqual(added[1].pet)
      const { id, name } = added[0].pet
      expect(yield* contents).toEqual({
        pets: [...(what === "expired" ? ["old"] : []), name],
        keys: { key: Number(id) }
      })
      expect([store.lost(), second.lost()]).toEqual([
        [0, 0],
        [0, 0]
      ])
    })
  }
})

describe("a connection", () => {
  const held = "SELECT pg_advisory_xact_lock(1)"

  for (const [what, timeout] of [
    ["a lock", { lock_timeout: 100 }],
    ["a statement", { statement_timeout: 100 }]
  ] as const) {
    live(`is kept after ${what} took too long, and is not counted as lost`, function* () {
      const url = yield* database
      const { run } = yield* connectToRun(url)
      yield* run("BEGIN")
      yield* run(held)
      const pool = yield* openPool({ url: withParameters(url, timeout), maxConnections: 1 })
      const named = { name: "held", text: held }
      const sent = (statement: Statement) =>
        Effect.async<unknown, StoreUnavailable>((resume) => pool.send(statement, [], resume))
      const process = pool.query("SELECT pg_backend_pid()")
      const before = yield* process
      for (let times = 0; times < 2; times++) {
        yield* expectFailure(sent(named), "busy", 30_000)
      }
      yield* run("ROLLBACK")
      expect(yield* sent(named)).toHaveLength(1)
      expect(yield* process).toEqual(before)
      expect(pool.counts()).toEqual({ used: 0, idle: 1, waiting: 0, opened: 1, failed: 0 })
    })
  }

  live("is kept after a value was refused", function* () {
    const pool = yield* openPool(patient(yield* database))
    yield* pool.query("CREATE TABLE notes (nth INT PRIMARY KEY CHECK (nth > 0))")
    for (const nth of [0, "x", 1])
      yield* Effect.exit(pool.query("INSERT INTO notes VALUES ($1)", nth))
    yield* Effect.flip(pool.query("INSERT INTO notes VALUES (1)"))
    expect(pool.counts()).toMatchObject({ opened: 1, failed: 0 })
  })

  live("is replaced after a prepared statement no longer fits its table", function* () {
    const pool = yield* openPool(patient(yield* database))
    const select = { name: "notes", text: "SELECT * FROM notes" }
    yield* pool.query("CREATE TABLE notes ()")
    yield* pool.query(select)
    yield* pool.query("ALTER TABLE notes ADD COLUMN nth INT")
    yield* Effect.flip(pool.query(select))
    expect(yield* pool.query(select)).toEqual([])
    expect(pool.counts()).toMatchObject({ opened: 2, failed: 0 })
  })
})
