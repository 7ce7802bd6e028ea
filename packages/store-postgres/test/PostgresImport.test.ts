/** Imports as callers of the port see them; `Importer` has no other use. */
import { setTimeout } from "node:timers/promises"
import { describe, expect, it } from "@effect/vitest"
import { PetId, PetName } from "@petstore/domain/Pet"
import type { Arrival } from "@petstore/domain/PetStore"
import * as SharedPostgres from "@petstore/local-postgres/support/SharedPostgres"
import * as StallingProxy from "@petstore/local-postgres/support/StallingProxy"
import {
  Deferred,
  Effect,
  Fiber,
  Logger,
  Option,
  Redacted,
  Stream,
  TestClock,
  TestContext
} from "effect"
import type * as ConnectionPool from "../src/internal/ConnectionPool.ts"
import * as Importer from "../src/internal/Importer.ts"
import * as PostgresFailure from "../src/internal/PostgresFailure.ts"
import {
  connectToRun,
  database,
  live,
  names,
  openStore,
  pet,
  withParameters
} from "./support/Databases.ts"
import { expectFailure, makeClock } from "./support/Failures.ts"

const arrival = (place: number, id?: bigint): Arrival => ({
  place,
  pet: { ...pet(`import ${place}`), ...(id === undefined ? {} : { id: PetId.make(id) }) }
})
const arrivals = (count: number) => Array.from({ length: count }, (_, nth) => arrival(nth))

/** A thousand pets, then whatever this does, and then one more. */
const interruptedBy = <E>(pause: Effect.Effect<unknown, E>, last = arrival(1000)) =>
  Stream.fromIterable(arrivals(1000)).pipe(
    Stream.concat(Stream.drain(Stream.fromEffect(Effect.zip(Effect.sleep("200 millis"), pause)))),
    Stream.concat(Stream.make(last))
  )

const setUp = Effect.gen(function* () {
  const url = yield* database
  const options = {
    url: withParameters(url, { lock_timeout: 500 }),
    maxConnections: 3
  }
  const store = yield* openStore(options)
  const second = yield* openStore(options)
  const { run } = yield* connectToRun(url)
  const open = run(`SELECT count(*) AS n FROM pg_stat_activity
    WHERE datname = current_database() AND state LIKE 'idle in transaction%'`)
  const transactions = Effect.map(open, ([row]) => Number(row.n))
  /** Whether no transaction is open, once connections that were closed are gone. */
  const isOver = Effect.delay(transactions, "50 millis").pipe(
    Effect.repeat({ until: (count) => count === 0, times: 100 }),
    Effect.map((count) => count === 0)
  )
  return { run, second, transactions, isOver, store }
})

describe("an import into PostgreSQL", () => {
  live(
    "does not block other writes while its pets arrive, and leaves nothing staged",
    function* () {
      const { isOver, second, store } = yield* setUp
      const writes = Effect.zip(second.add(pet("other")), store.add(pet("own")))
      expect(yield* store.addAll(interruptedBy(writes))).toBe(1001)
      expect((yield* names(store)).slice(0, 3)).toEqual(["other", "own", "import 0"])
      expect(yield* isOver).toBe(true)
    }
  )

  live("sees an id that is taken while its pets arrive", function* () {
    const { isOver, second, store } = yield* setUp
    const rival = second.addAll(Stream.make(arrival(1, 5000n)))
    const failure = yield* Effect.flip(
      store.addAll(interruptedBy(Effect.orDie(rival), arrival(1000, 5000n)))
    )
    expect(failure).toMatchObject({ _tag: "IdsTaken", taken: [{ place: 1000, id: 5000n }] })
    expect(yield* names(store)).toEqual(["import 1"])
    expect(yield* isOver).toBe(true)
  })

  live("leaves nothing when it fails or is interrupted", function* () {
    const { isOver, store, transactions } = yield* setUp
    expect(yield* Effect.flip(store.addAll(interruptedBy(Effect.fail("no more"))))).toBe("no more")
    expect(yield* isOver).toBe(true)
    const reached = yield* Deferred.make<void>()
    const pause = Effect.zip(Deferred.succeed(reached, undefined), Effect.never)
    const importing = yield* Effect.fork(store.addAll(interruptedBy(pause)))
    yield* Deferred.await(reached)
    expect(yield* transactions).toBe(1)
    yield* Fiber.interrupt(importing)
    expect(yield* isOver).toBe(true)
    expect(yield* names(store)).toEqual([])
  })

  live("is busy when another holds the lock in the end, and adds nothing", function* () {
    const { isOver, run, store } = yield* setUp
    const lock = run("BEGIN; UPDATE pet_ids SET last = last")
    yield* expectFailure(store.addAll(interruptedBy(lock)), "busy", 5000)
    yield* run("ROLLBACK")
    expect(yield* names(store)).toEqual([])
    expect(yield* isOver).toBe(true)
    expect(yield* store.addAll(Stream.fromIterable(arrivals(3)))).toBe(3)
  })

  live("gives its outcome, though it is interrupted while it commits", function* () {
    const committing = yield* Deferred.make<void>()
    const answered = yield* Deferred.make<void>()
    const outcome = yield* Deferred.make<unknown, unknown>()
    const commit = Effect.zip(Deferred.succeed(committing, undefined), Deferred.await(answered))
    const run: ConnectionPool.Query = (statement) => {
      const text = JSON.stringify(statement)
      return text.includes("INTO import_outcomes") ? Effect.as(commit, []) : Effect.succeed([])
    }
    const pool = { query: run, once: (body: (query: ConnectionPool.Query) => unknown) => body(run) }
    const importing = yield* Importer.run(Object(pool), Stream.make(arrival(1))).pipe(
      Effect.intoDeferred(outcome),
      Effect.uninterruptible,
      Effect.fork
    )
    yield* Deferred.await(committing)
    yield* Fiber.interruptFork(importing)
    yield* Effect.yieldNow()
    yield* Deferred.succeed(answered, undefined)
    expect(yield* Deferred.await(outcome)).toBe(1)
  })
})

describe("an import of pets with the longest names into PostgreSQL", () => {
  live("is staged by statements that are small, too", function* () {
    const { count, proxy, store } = yield* proxied
    const large = arrivals(1000).map(({ place, pet }) => ({
      place,
      pet: { ...pet, name: PetName.make("x".repeat(1000)) }
    }))
    expect(yield* store.addAll(Stream.fromIterable(large))).toBe(1000)
    expect(yield* count).toBe(1000)
    const parts = proxy.sent().split("INSERT INTO petstore_import")
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(500_000)
  })
})

describe("the outcome of a commit that was not answered", () => {
  const away = PostgresFailure.make("down", "away")
  const busy = PostgresFailure.make("busy", "it waits for a standby")
  for (const [what, failure, failures, expected, seconds] of [
    ["is found once the database answers again", away, 30, 1, 30],
    ["is found once the commit has ended", busy, 500, 1, 500],
    ["is not known after a minute without the database", away, 9999, "down", 60],
    ["is not known after ten minutes in which the commit does not end", busy, 9999, "busy", 600]
  ] as const) {
    live(what, function* () {
      const { clock, ...time } = makeClock()
      const asked = Array<never>(1)
      let nth = 0
      const run: ConnectionPool.Query = (statement) => {
        if (!JSON.stringify(statement).includes("SELECT is_committed")) return Effect.succeed([])
        return Effect.suspend(() =>
          nth++ < failures ? failure : Effect.succeed(asked.fill([true] as never))
        )
      }
      const once = (body: (query: ConnectionPool.Query) => Effect.Effect<unknown, unknown>) =>
        Effect.zipRight(body(run), away)
      const pool = { query: run, once }
      const result = yield* Importer.run(Object(pool), Stream.make(arrival(1))).pipe(
        Effect.catchAll((error) => Effect.succeed("reason" in error && error.reason)),
        Effect.withClock(clock)
      )
      expect(result).toBe(expected)
      expect(time.seconds()).toBeGreaterThanOrEqual(seconds - 1)
      expect(time.seconds()).toBeLessThanOrEqual(seconds + 1)
    })
  }
})

describe("an import that the database delays", () => {
  live("reads no more pets than it stages next", function* () {
    let read = 0
    const staging = yield* Deferred.make<void>()
    const run: ConnectionPool.Query = (statement) =>
      JSON.stringify(statement).includes("INTO petstore_import")
        ? Effect.zipRight(Deferred.succeed(staging, undefined), Effect.never)
        : Effect.succeed([])
    const pool = { query: run, once: (body: (query: ConnectionPool.Query) => unknown) => body(run) }
    const pets = Stream.iterate(0, (nth) => nth + 1).pipe(
      Stream.map((nth) => arrival(nth)),
      Stream.tap(() => Effect.sync(() => read++)),
      Stream.take(20_000)
    )
    const importing = yield* Effect.fork(Importer.run(Object(pool), pets))
    yield* Deferred.await(staging)
    yield* Effect.repeatN(Effect.yieldNow(), 50_000)
    expect(read).toBeLessThan(5000)
    yield* Fiber.interrupt(importing)
  })
})

/** Some pets, with one that a repeated import could not add; then this is done, and the import is committed. */
const filed = (atEnd: () => void) =>
  Stream.fromIterable([...arrivals(700), arrival(700, 1000n)]).pipe(
    Stream.concat(Stream.drain(Stream.fromEffect(Effect.sync(atEnd))))
  )

/** A store behind a proxy, and another connection to its database. */
const proxied = Effect.gen(function* () {
  const url = yield* database
  const proxy = yield* StallingProxy.make(SharedPostgres.port())
  const through = new URL(Redacted.value(url))
  through.port = String(proxy.port)
  const store = yield* openStore({
    url: withParameters(Redacted.make(through.href), {
      lock_timeout: 200,
      statement_timeout: 1000
    }),
    connectTimeout: "1 second"
  })
  const { run } = yield* connectToRun(url)
  const count = Effect.map(run("SELECT count(*) AS n FROM pets"), ([{ n }]) => Number(n))
  return { count, proxy, run, store }
})

/** Lets minutes pass until this is done. */
const advancing = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.fork(effect), (fiber) =>
    TestClock.adjust("2 seconds").pipe(
      Effect.zipRight(Effect.promise(() => setTimeout(10))),
      Effect.repeat({ until: () => Effect.map(Fiber.poll(fiber), Option.isSome) }),
      Effect.zipRight(Fiber.join(fiber))
    )
  )

describe("an import into PostgreSQL whose commit is not answered", () => {
  live("succeeds if it was committed before the connection was lost", function* () {
    const { count, proxy, store } = yield* proxied
    expect(yield* store.addAll(filed(() => proxy.loseAnswer("COMMIT\0", "close")))).toBe(701)
    expect(yield* count).toBe(701)
  })

  live("fails if it was not, and adds nothing", function* () {
    const { count, run, store } = yield* proxied
    yield* run(`
        CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON pets DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION fail()`)
    yield* expectFailure(store.addAll(filed(() => {})), "down", 30_000)
    expect(yield* count).toBe(0)
  })

  live("waits for one that takes longer than a request may", function* () {
    const { count, run, store } = yield* proxied
    yield* run(`
        CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN PERFORM pg_sleep(2); RETURN NULL; END $$;
        CREATE TRIGGER wait AFTER INSERT ON pets
          FOR EACH ROW WHEN (NEW.id = 1000) EXECUTE FUNCTION wait();
        CREATE CONSTRAINT TRIGGER wait_again AFTER INSERT ON pets DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW WHEN (NEW.id = 1000) EXECUTE FUNCTION wait()`)
    expect(yield* store.addAll(filed(() => {}))).toBe(701)
    expect(yield* count).toBe(701)
  })

  it.scopedLive("says that it cannot know while the database is away", () =>
    Effect.gen(function* () {
      const { count, proxy, store } = yield* proxied
      const importing = store.addAll(filed(() => proxy.loseAnswer("COMMIT\0", "stall")))
      expect(yield* advancing(Effect.flip(importing))).toMatchObject({
        reason: "down",
        cause: { message: expect.stringContaining("look before you import them again") }
      })
      proxy.resume()
      expect(yield* count).toBe(701)
    }).pipe(Effect.provide([TestContext.TestContext, Logger.remove(Logger.defaultLogger)]))
  )

  live("forgets outcomes of a day ago", function* () {
    const { run, store } = yield* proxied
    expect(yield* store.addAll(Stream.fromIterable(arrivals(3)))).toBe(3)
    yield* run("UPDATE import_outcomes SET at = now() - INTERVAL '25 hours'")
    expect(yield* store.addAll(Stream.fromIterable(arrivals(3)))).toBe(3)
    const outcomes = yield* run("SELECT is_committed FROM import_outcomes")
    expect(outcomes).toEqual([{ is_committed: true }])
    expect(yield* names(store)).toHaveLength(6)
  })
})
