/** Faults of the database that reach every module: ended sessions, locks, full pools, servers that refuse writes. */
import { describe, expect } from "@effect/vitest"
import { Instant } from "@petstore/access/ApiKey"
import { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import { PetId } from "@petstore/domain/Pet"
import { PageLimit } from "@petstore/domain/PetPage"
import { PetStore } from "@petstore/domain/PetStore"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { ours, terminate, untilBlocked } from "@petstore/local-postgres/support/Session"
import * as PostgresStores from "@petstore/store-postgres/PostgresStores"
import { Context, Deferred, Effect, Exit, Fiber, Option, Redacted, Scope } from "effect"
import { vi } from "vitest"
import * as ConnectionPool from "../src/internal/ConnectionPool.ts"
import * as Hosts from "../src/internal/Hosts.ts"
import * as PostgresFailure from "../src/internal/PostgresFailure.ts"
import {
  admin,
  connect,
  connectToRun,
  counted,
  database,
  key,
  limit,
  live,
  names,
  openPool,
  patient,
  pet,
  urlOf,
  withParameters
} from "./support/Databases.ts"
import { expectFailure } from "./support/Failures.ts"

/** A new database, stores in it with a small pool, and another connection to it. */
const setUp = (
  timeouts: Readonly<Record<string, number>> = {},
  options: Partial<PostgresStores.Options> = {}
) =>
  Effect.gen(function* () {
    const url = withParameters(yield* database, timeouts)
    const stores = yield* PostgresStores.make({ url, maxConnections: 2, ...options })
    const session = yield* connectToRun(url)
    return {
      store: Context.get(stores, PetStore),
      keys: Context.get(stores, ApiKeyStore),
      ...session
    }
  })

/**
 * More operations at once than there are connections: if one was lost, they would wait for it. Equal lists would be
 * read together.
 */
const expectHealthy = (store: PetStore["Type"]) =>
  Effect.forEach(
    Array.from({ length: 40 }, (_, nth) => nth),
    (nth): Effect.Effect<unknown, StoreUnavailable> =>
      nth % 2 === 0 ? store.add(pet("after")) : store.list({ limit: PageLimit.make(nth) }),
    { concurrency: "unbounded" }
  )

describe("a backend that is terminated", () => {
  for (const [what, lock] of [
    ["add", "pet_ids SET last = last"],
    ["transaction", "api_key_changes SET count = count"]
  ] as const) {
    live(
      `fails the ${what} that it ran, without a defect, and the next one has another`,
      function* () {
        const { keys, other, run, store } = yield* setUp()
        yield* run(`BEGIN; UPDATE ${lock}`)
        const add: Effect.Effect<unknown, StoreUnavailable> =
          what === "add" ? store.add(pet("lost")) : keys.add(key)
        const adding = yield* Effect.fork(expectFailure(add, "down"))
        yield* untilBlocked(other)
        yield* run(terminate)
        yield* Fiber.join(adding)
        yield* run("ROLLBACK")
        yield* expectHealthy(store)
        expect(yield* names(store)).not.toContain("lost")
        expect(yield* keys.add(key)).toBe(true)
      }
    )
  }

  live("fails the transaction also between two of its statements", function* () {
    const url = yield* database
    const { counts, transaction } = yield* openPool({ url, maxConnections: 1 })
    const other = yield* connect(url)
    const select = { name: "", text: "SELECT 1" }
    const interrupted = transaction((run) =>
      run(select).pipe(
        Effect.zipRight(Effect.promise(() => other.query(terminate))),
        Effect.zipRight(Effect.sleep("200 millis")),
        Effect.zipRight(run(select))
      )
    )
    yield* expectFailure(interrupted, "down")
    expect(counts().failed).toBe(1)
    expect(yield* transaction((run) => run(select))).toEqual([[1]])
  })

  live("is replaced unnoticed if it was idle", function* () {
    const { run, store } = yield* setUp()
    yield* expectHealthy(store)
    expect((yield* run(terminate)).length).toBe(2)
    yield* Effect.sleep("100 millis")
    yield* expectHealthy(store)
  })
})

describe("a lock that is not released", () => {
  live("fails adds as busy, also those that wait behind them, and no reads", function* () {
    const { run, store } = yield* setUp({ lock_timeout: 500 })
    yield* run("BEGIN; UPDATE pet_ids SET last = last")
    const adds = Array.from({ length: 20 }, () => expectFailure(store.add(pet("no")), "busy"))
    yield* Effect.zip(Effect.all(adds, { concurrency: "unbounded" }), names(store), {
      concurrent: true
    })
    yield* run("ROLLBACK")
    yield* expectHealthy(store)
  })

  live("fails adds that wait for a batch within two seconds", function* () {
    const { other, run, store } = yield* setUp({ lock_timeout: 4000 })
    yield* run("BEGIN; UPDATE pet_ids SET last = last")
    const first = yield* Effect.fork(store.add(pet("first")))
    yield* untilBlocked(other)
    const adds = Array.from({ length: 20 }, () => expectFailure(store.add(pet("no")), "busy"))
    yield* Effect.all(adds, { concurrency: "unbounded" })
    yield* run("ROLLBACK")
    yield* Fiber.join(first)
    expect(yield* names(store)).toEqual(["first"])
  })

  live("fails changes of keys as busy", function* () {
    const { keys, run } = yield* setUp({ lock_timeout: 500 })
    yield* run("BEGIN; UPDATE api_key_changes SET count = count")
    yield* expectFailure(keys.add(key), "busy")
    expect(yield* keys.list).toEqual([])
    yield* run("ROLLBACK")
    expect(yield* keys.add(key)).toBe(true)
    expect(yield* keys.revoke(key.id, Instant.make(1))).toBe(true)
  })

  live("fails a statement as busy when it takes too long", function* () {
    const { run, store } = yield* setUp({ lock_timeout: 0, statement_timeout: 500 })
    yield* run("BEGIN; LOCK TABLE pets")
    yield* expectFailure(names(store), "busy")
    yield* run("ROLLBACK")
    yield* expectHealthy(store)
  })
})

describe("a pool without a free connection", () => {
  live("fails operations as busy within two seconds", function* () {
    const { counts, onOpen } = counted()
    const { run, store } = yield* setUp({ lock_timeout: 4000 }, { onOpen })
    yield* run("BEGIN; LOCK TABLE pets")
    // One read of each kind: equal reads that arrive together would hold one connection.
    const reads = [Effect.exit(store.get(PetId.make(1n))), Effect.exit(store.list({ limit }))]
    const holding = yield* Effect.fork(Effect.all(reads, { concurrency: 2 }))
    yield* Effect.sleep("50 millis")
    const waiting = Array.from({ length: 20 }, () => expectFailure(names(store), "busy"))
    yield* Effect.all(waiting, { concurrency: "unbounded" })
    // They were read together.
    expect(counts().failed).toBe(1)
    yield* run("ROLLBACK")
    yield* Fiber.join(holding)
    yield* expectHealthy(store)
  })

  live("gets its connections back from operations that are interrupted", function* () {
    const { keys, run, store } = yield* setUp()
    yield* run("BEGIN; LOCK TABLE pets; LOCK TABLE api_keys")
    const operations: ReadonlyArray<Effect.Effect<unknown, StoreUnavailable>> = [
      store.list({ limit }),
      store.add(pet("perhaps")),
      keys.add(key)
    ]
    const started = yield* Effect.forEach(
      Array.from({ length: 10 }, () => operations).flat(),
      (operation) => Effect.fork(Effect.exit(operation))
    )
    yield* Effect.sleep("50 millis")
    yield* Effect.forEach(started, Fiber.interruptFork)
    yield* Effect.sleep("50 millis")
    yield* run("ROLLBACK")
    yield* expectHealthy(store)
    expect((yield* run(`SELECT 1 ${ours}`)).length).toBeLessThanOrEqual(2)
    // What an interrupted operation asked for is answered a little later.
    const busy = Effect.map(run(`SELECT 1 ${ours} AND state <> 'idle'`), (rows) => rows.length)
    yield* Effect.repeat(Effect.delay(busy, "10 millis"), { until: (count) => count === 0 })
  })
})

describe("a transaction", () => {
  live("is tried again after a conflict, twenty times", function* () {
    const { transaction } = yield* openPool({ url: yield* database, maxConnections: 1 })
    const conflict = PostgresFailure.from(Object.assign(new Error(), { code: "40P01" }))
    let tries = 0
    const conflicting = (conflicts: number) =>
      transaction((run) =>
        Effect.suspend(() => (tries++ < conflicts ? Effect.fail(conflict) : run("SELECT 1")))
      )
    expect(yield* conflicting(20)).toEqual([[1]])
    tries = 0
    expect(yield* Effect.flip(conflicting(99))).toBe(conflict)
    expect(tries).toBe(21)
  })

  live(
    "sees what was committed before each statement, whatever the database is set to",
    function* () {
      const options = "?options=-c%20default_transaction_isolation=serializable"
      const url = Redacted.make(`${Redacted.value(yield* database)}${options}`)
      const { query, transaction } = yield* openPool(patient(url))
      const isolation = "SHOW transaction_isolation"
      expect(yield* query(isolation)).toEqual([["serializable"]])
      expect(yield* transaction((run) => run(isolation))).toEqual([["read committed"]])
    }
  )

  live("that is interrupted leaves nothing to what follows", function* () {
    const url = yield* database
    const { query, transaction } = yield* openPool({
      ...patient(url),
      maxConnections: 1
    })
    const created = yield* Deferred.make<unknown, StoreUnavailable>()
    const creating = yield* Effect.fork(
      transaction((run) =>
        Effect.zipRight(Deferred.complete(created, run("CREATE TABLE notes ()")), Effect.never)
      )
    )
    yield* Deferred.await(created)
    yield* Fiber.interrupt(creating)
    expect(yield* query("SELECT to_regclass('notes')")).toEqual([[null]])
  })

  live("that is interrupted while it commits ends when it is committed", function* () {
    const url = yield* database
    const { transaction } = yield* openPool(patient(url))
    const { other, run } = yield* connectToRun(url)
    yield* run(`
      CREATE TABLE notes (text TEXT);
      CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON notes DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION wait();
      SELECT pg_advisory_lock(1)`)
    const adding = yield* Effect.fork(transaction((add) => add("INSERT INTO notes VALUES ('1')")))
    yield* untilBlocked(other)
    const interrupting = yield* Effect.fork(Fiber.interrupt(adding))
    yield* Effect.yieldNow()
    expect(yield* Fiber.poll(interrupting)).toEqual(Option.none())
    yield* run("SELECT pg_advisory_unlock(1)")
    yield* Fiber.join(interrupting)
    expect(yield* run("SELECT text FROM notes")).toEqual([{ text: "1" }])
  })
})

describe("a pool whose server refuses writes, as a standby does", () => {
  /** A pool with connections that only read, which is old enough to be replaced. New connections write. */
  const setUp = (connections: number, options: Partial<PostgresStores.Options> = {}) =>
    Effect.gen(function* () {
      const url = yield* database
      const { other, run } = yield* connectToRun(url)
      yield* run("CREATE TABLE notes (text TEXT)")
      const alter = `ALTER DATABASE ${new URL(Redacted.value(url)).pathname.slice(1)}`
      yield* admin(`${alter} SET default_transaction_read_only = on`)
      const hosts = yield* Hosts.make({ ...patient(url), maxConnections: connections, ...options })
      const scope = yield* Scope.make()
      const close = Scope.close(scope, Exit.void)
      yield* Effect.addFinalizer(() => close)
      const pool = yield* Scope.extend(ConnectionPool.make(hosts), scope)
      yield* Effect.replicateEffect(pool.query("SELECT 1"), connections, {
        concurrency: connections
      })
      const now = performance.now.bind(performance)
      const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + 2000)
      yield* Effect.addFinalizer(() => Effect.sync(() => clock.mockRestore()))
      const reset = admin(`${alter} RESET default_transaction_read_only`)
      return { ...pool, close, drops: hosts.drops, other, reset, run }
    })
  const insert = "INSERT INTO notes VALUES ('1')"

  for (const how of ["statement", "transaction"]) {
    live(`is left by each ${how} that is refused, and waits for no other one`, function* () {
      const { counts, query, reset, transaction } = yield* setUp(3)
      yield* reset
      const write = how === "statement" ? query(insert) : transaction((run) => run(insert))
      // The fourth waits for a connection, and gets one that the third would have had.
      yield* Effect.replicateEffect(write, 4, { concurrency: 4 })
      const { idle, opened, ...others } = counts()
      expect(others).toEqual({ used: 0, waiting: 0, failed: 0 })
      // All three that were refused are gone. On a busy machine a write may use what another has finished with.
      expect(idle).toBe(opened - 3)
    })
  }

  live("is replaced once while that goes on", function* () {
    const { counts, query } = yield* setUp(1)
    yield* expectFailure(query(insert), "read-only", 30_000)
    expect(counts().opened).toBe(2)
    yield* expectFailure(query(insert), "read-only", 30_000)
    expect(counts().opened).toBe(3)
  })

  live("has its connections closed with those of the next one", function* () {
    const { drops, other, query, reset, run } = yield* setUp(2)
    yield* run("SELECT pg_advisory_lock(1)")
    const waiting = yield* Effect.fork(
      expectFailure(query("SELECT pg_advisory_lock_shared(1)"), "down", 30_000)
    )
    yield* untilBlocked(other)
    yield* reset
    yield* query(insert)
    for (const drop of drops) drop()
    yield* Fiber.join(waiting)
    expect(yield* query("SELECT text FROM notes")).toEqual([["1"]])
  })

  live("leaves no connection of either when it is closed", function* () {
    const { close, query, reset, run } = yield* setUp(3, { connectTimeout: "10 minutes" })
    yield* reset
    yield* query(insert)
    yield* close
    const left = Effect.map(run(`SELECT 1 ${ours}`), (rows) => rows.length)
    yield* Effect.repeat(Effect.delay(left, "10 millis"), { until: (count) => count === 0 })
  })
})

describe("the state of a pool", () => {
  live("has its connections, and what waits, was opened and has failed", function* () {
    const url = yield* database
    const { counts, query } = yield* openPool({ ...patient(url), maxConnections: 2 })
    const { run } = yield* connectToRun(url)
    yield* query("SELECT 1")
    expect(counts()).toEqual({ used: 0, idle: 1, waiting: 0, opened: 1, failed: 0 })
    yield* run("SELECT pg_advisory_lock(1)")
    const locking = Effect.exit(query("SELECT pg_advisory_lock_shared(1)"))
    const ends = yield* Effect.fork(Effect.replicateEffect(locking, 3, { concurrency: 3 }))
    const blocked = Effect.map(
      run(`SELECT 1 ${ours} AND wait_event_type = 'Lock'`),
      (rows) => rows.length
    )
    yield* Effect.repeat(Effect.delay(blocked, "10 millis"), { until: (count) => count === 2 })
    expect(counts()).toEqual({ used: 2, idle: 0, waiting: 1, opened: 2, failed: 0 })
    yield* run(terminate)
    yield* run("SELECT pg_advisory_unlock(1)")
    expect((yield* Fiber.join(ends)).map(Exit.isSuccess)).toEqual([false, false, true])
    expect(counts()).toEqual({ used: 0, idle: 1, waiting: 0, opened: 3, failed: 2 })
  })

  live("counts each way to fail once, and keeps no connection that gave no answer", function* () {
    const url = yield* database
    const { run } = yield* connectToRun(url)
    yield* run("SELECT pg_advisory_lock(1)")
    const locking = { text: "SELECT pg_advisory_lock_shared(1)", answerMillis: 1 }
    const pool = yield* openPool({ ...patient(url), maxConnections: 1 })
    yield* expectFailure(pool.query(locking), "down", 30_000)
    expect(pool.counts()).toEqual({ used: 0, idle: 0, waiting: 0, opened: 1, failed: 1 })
    const refused = yield* openPool({ url: urlOf("any", 1) })
    yield* expectFailure(refused.query("SELECT 1"), "down", 30_000)
    expect(refused.counts().failed).toBe(1)
  })
})
