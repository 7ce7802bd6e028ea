import { setTimeout } from "node:timers/promises"
import { describe, expect, it } from "@effect/vitest"
import { PetId, PetName } from "@petstore/domain/Pet"
import type { Arrival } from "@petstore/domain/PetStore"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { untilBlocked } from "@petstore/local-postgres/support/Session"
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
  logged,
  names,
  openStore,
  patient,
  pet
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
  const options = { url, maxConnections: 3, lockTimeout: "500 millis" } as const
  const store = yield* openStore(options)
  const second = yield* openStore(options)
  const { run } = yield* connectToRun(url)
  const staged = run(
    "SELECT (SELECT count(*) FROM pet_imports) + (SELECT count(*) FROM imported_pets) AS n"
  )
  return { run, second, staged: Effect.map(staged, ([row]) => Number(row.n)), store }
})

describe("an import into PostgreSQL", () => {
  live(
    "does not block other writes while its pets arrive, and leaves nothing staged",
    function* () {
      const { second, staged, store } = yield* setUp
      const writes = Effect.zip(second.add(pet("other")), store.add(pet("own")))
      expect(yield* store.addAll(interruptedBy(writes))).toBe(1001)
      expect((yield* names(store)).slice(0, 3)).toEqual(["other", "own", "import 0"])
      expect(yield* staged).toBe(0)
    }
  )

  live("sees an id that is taken while its pets arrive", function* () {
    const { second, staged, store } = yield* setUp
    const rival = second.addAll(Stream.make(arrival(1, 5000n)))
    const failure = yield* Effect.flip(
      store.addAll(interruptedBy(Effect.orDie(rival), arrival(1000, 5000n)))
    )
    expect(failure).toMatchObject({ _tag: "IdsTaken", taken: [{ place: 1000, id: 5000n }] })
    expect(yield* names(store)).toEqual(["import 1"])
    expect(yield* staged).toBe(0)
  })

  live("leaves nothing when it fails or is interrupted", function* () {
    const { staged, store } = yield* setUp
    expect(yield* Effect.flip(store.addAll(interruptedBy(Effect.fail("no more"))))).toBe("no more")
    expect(yield* staged).toBe(0)
    const reached = yield* Deferred.make<void>()
    const pause = Effect.zip(Deferred.succeed(reached, undefined), Effect.never)
    const importing = yield* Effect.fork(store.addAll(interruptedBy(pause)))
    yield* Deferred.await(reached)
    expect(yield* staged).toBeGreaterThan(0)
    yield* Fiber.interrupt(importing)
    expect(yield* staged).toBe(0)
    expect(yield* names(store)).toEqual([])
  })

  live("is busy when another holds the lock in the end, and adds nothing", function* () {
    const { run, staged, store } = yield* setUp
    const lock = run("BEGIN; UPDATE pet_ids SET last = last")
    yield* expectFailure(store.addAll(interruptedBy(lock)), "busy", 5000)
    yield* run("ROLLBACK")
    expect(yield* names(store)).toEqual([])
    expect(yield* staged).toBe(0)
    expect(yield* store.addAll(Stream.fromIterable(arrivals(3)))).toBe(3)
  })

  live("removes what another left a day ago, and is down if that was itself", function* () {
    const { run, second, staged, store } = yield* setUp
    const age = run("UPDATE pet_imports SET started = now() - INTERVAL '25 hours'")
    const sweep = Effect.orDie(second.addAll(Stream.make(arrival(1))))
    yield* expectFailure(store.addAll(interruptedBy(Effect.zip(age, sweep))), "down", 5000)
    expect(yield* staged).toBe(0)
    expect(yield* names(store)).toEqual(["import 1"])
  })

  live("removes others a day after they started, and fails itself an hour earlier", function* () {
    const { run, staged, store } = yield* setUp
    const age = (interval: string) =>
      run("UPDATE pet_imports SET started = now() - $1::interval", [interval])
    const pets = Stream.make(arrival(1))
    const aged = (interval: string) =>
      store.addAll(Stream.concat(pets, Stream.drain(Stream.fromEffect(age(interval)))))
    yield* run("INSERT INTO pet_imports (id) VALUES (gen_random_uuid())")
    yield* age("23:55")
    expect(yield* store.addAll(pets)).toBe(1)
    expect(yield* staged).toBe(1)
    yield* age("24:05")
    expect(yield* aged("22:55")).toBe(1)
    expect(yield* staged).toBe(0)
    yield* expectFailure(aged("23:05"), "down", 5000)
  })

  live("adds pets that another one adds while they arrive", function* () {
    const { run, second, store } = yield* setUp
    yield* run(keepRecords)
    const rival = Effect.zipRight(
      second.addAll(Stream.make(arrival(1))),
      run("DROP TRIGGER killed ON pet_imports")
    )
    const pets = Stream.concat(Stream.make(arrival(1)), Stream.drain(Stream.fromEffect(rival)))
    expect(yield* store.addAll(pets)).toBe(1)
    expect(yield* names(store)).toEqual(["import 1", "import 1"])
  })

  live(
    "adds pets that another one adds while they arrive, which began to commit before",
    function* () {
      const url = yield* database
      const store = yield* openStore({ url, ...patient })
      const { other, run } = yield* connectToRun(url)
      yield* run(keepRecords)
      yield* run("BEGIN; UPDATE pet_ids SET last = last")
      const rival = yield* Effect.fork(store.addAll(Stream.make(arrival(1))))
      yield* untilBlocked(other)
      const ending = run("COMMIT").pipe(
        Effect.zipRight(Fiber.join(rival)),
        Effect.zipRight(run("DROP TRIGGER killed ON pet_imports"))
      )
      const pets = Stream.concat(Stream.make(arrival(1)), Stream.drain(Stream.fromEffect(ending)))
      expect(yield* store.addAll(pets)).toBe(1)
      expect(yield* names(store)).toEqual(["import 1", "import 1"])
    }
  )

  live("gives its outcome, though it is interrupted while it commits", function* () {
    const committing = yield* Deferred.make<void>()
    const answered = yield* Deferred.make<void>()
    const outcome = yield* Deferred.make<unknown, unknown>()
    const commit = Effect.zip(Deferred.succeed(committing, undefined), Deferred.await(answered))
    const found = Array<never>(1)
    const run: ConnectionPool.Query = (statement) => {
      const text = JSON.stringify(statement)
      if (text.includes("UPDATE pet_imports")) return Effect.as(commit, [])
      return Effect.succeed(text.includes("FOR UPDATE") ? found : [])
    }
    const pool = {
      query: run,
      transaction: (body: (query: ConnectionPool.Query) => unknown) => body(run)
    }
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

/** Lets the records of imports stay, as if their programs were killed after the commit. */
const keepRecords = `
  CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
  CREATE TRIGGER killed BEFORE DELETE ON pet_imports FOR EACH ROW EXECUTE FUNCTION keep()`

describe("an import of pets with the longest names into PostgreSQL", () => {
  live("is staged by statements that are small, too", function* () {
    const { count, proxy, store } = yield* proxied
    const large = arrivals(1000).map(({ place, pet }) => ({
      place,
      pet: { ...pet, name: PetName.make("x".repeat(1000)) }
    }))
    expect(yield* store.addAll(Stream.fromIterable(large))).toBe(1000)
    expect(yield* count).toEqual({ pets: 1000, staged: 0 })
    const parts = proxy.sent().split("petstore_stage\0")
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
      const removals: Array<string> = []
      const found = Array<never>(1)
      const run: ConnectionPool.Query = (statement) => {
        const text = JSON.stringify(statement)
        if (text.includes("DELETE FROM pet_imports WHERE id")) removals.push(text)
        return Effect.succeed(text.includes("SELECT id FROM pet_imports") ? found : [])
      }
      // The first removes old imports, the second commits, and the next ones ask about that.
      let nth = 0
      const pool = {
        query: run,
        transaction: <A>(
          body: (query: ConnectionPool.Query) => Effect.Effect<A, StoreUnavailable>
        ) =>
          Effect.suspend(() => {
            const isLost = nth > 0 && nth <= failures + 1
            const end = nth === 1 ? away : failure
            nth++
            return isLost ? Effect.zipRight(body(run), end) : body(run)
          })
      }
      const result = yield* Importer.run(Object(pool), Stream.make(arrival(1))).pipe(
        Effect.catchAll((error) => Effect.succeed("reason" in error && error.reason)),
        Effect.withClock(clock)
      )
      expect(result).toBe(expected)
      expect(time.seconds()).toBeGreaterThanOrEqual(seconds - 1)
      expect(time.seconds()).toBeLessThanOrEqual(seconds + 1)
      // If it was committed, the record of an import is what tells the next one.
      if (expected !== 1) {
        expect(removals.filter((text) => !text.includes("AND committed IS NULL"))).toEqual([])
      }
    })
  }
})

describe("an import that the database delays", () => {
  live("reads no more pets than it stages next", function* () {
    let read = 0
    const staging = yield* Deferred.make<void>()
    const run: ConnectionPool.Query = (statement) =>
      JSON.stringify(statement).includes("petstore_stage")
        ? Effect.zipRight(Deferred.succeed(staging, undefined), Effect.never)
        : Effect.succeed([])
    const pool = {
      query: run,
      transaction: (body: (query: ConnectionPool.Query) => unknown) => body(run)
    }
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
    url: Redacted.make(through.href),
    connectTimeout: "1 second",
    lockTimeout: "200 millis",
    statementTimeout: "1 second"
  })
  const { run } = yield* connectToRun(url)
  const count = Effect.map(
    run(
      "SELECT (SELECT count(*) FROM pets) AS pets, (SELECT count(*) FROM imported_pets) AS staged"
    ),
    ([{ pets, staged }]) => ({ pets: Number(pets), staged: Number(staged) })
  )
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

const once = { pets: 701, staged: 0 }

describe("an import into PostgreSQL whose commit is not answered", () => {
  live("succeeds if it was committed before the connection was lost", function* () {
    const { count, proxy, store } = yield* proxied
    expect(yield* store.addAll(filed(() => proxy.loseAnswer("COMMIT\0", "close")))).toBe(701)
    expect(yield* count).toEqual(once)
  })

  live("fails if it was not, and adds nothing", function* () {
    const { count, run, store } = yield* proxied
    yield* run(`
        CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON pets DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION fail()`)
    yield* expectFailure(store.addAll(filed(() => {})), "down", 30_000)
    expect(yield* count).toEqual({ pets: 0, staged: 0 })
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
    expect(yield* count).toEqual(once)
  })

  it.scopedLive(
    "says that it cannot know while the database is away; once repeated, it adds nothing",
    () =>
      Effect.gen(function* () {
        const { count, proxy, store } = yield* proxied
        const importing = store.addAll(filed(() => proxy.loseAnswer("COMMIT\0", "stall")))
        expect(yield* advancing(Effect.flip(importing))).toMatchObject({
          reason: "down",
          cause: { message: expect.stringContaining("import them again") }
        })
        proxy.resume()
        expect((yield* count).pets).toBe(701)
        expect(yield* store.addAll(filed(() => {}))).toBe(701)
        expect(yield* count).toEqual(once)
      }).pipe(Effect.provide([TestContext.TestContext, Logger.remove(Logger.defaultLogger)]))
  )

  live("is found by the next one of the same pets if its program was killed", function* () {
    const { count, run, store } = yield* proxied
    yield* run(keepRecords)
    expect(yield* store.addAll(filed(() => {}))).toBe(701)
    yield* run("DROP TRIGGER killed ON pet_imports")
    expect((yield* count).staged).toBe(701)
    const others = Stream.map(
      filed(() => {}),
      ({ pet, place }) => ({
        place,
        pet: { ...pet, status: "sold" as const }
      })
    )
    expect(yield* Effect.flip(store.addAll(others))).toMatchObject({ _tag: "IdsTaken" })
    const { logs, result } = yield* logged(store.addAll(filed(() => {})))
    expect(result).toBe(701)
    expect(logs).toEqual([expect.stringContaining("not added again")])
    expect(yield* count).toEqual(once)
    // One that is known to have succeeded is not repeated, but another one.
    expect(yield* store.addAll(Stream.fromIterable(arrivals(3)))).toBe(3)
    expect(yield* store.addAll(Stream.fromIterable(arrivals(3)))).toBe(3)
    expect(yield* count).toEqual({ pets: 707, staged: 0 })
  })
})

describe("an import into PostgreSQL that succeeds, but loses its connection then", () => {
  live("does not prevent a second import of the same pets", function* () {
    const { count, proxy, store } = yield* proxied
    const end = "DELETE FROM pet_imports WHERE id = $1\0"
    const pets = Stream.fromIterable(arrivals(3))
    const losing = Stream.drain(
      Stream.fromEffect(Effect.sync(() => proxy.loseAnswer(end, "close")))
    )
    expect(yield* store.addAll(Stream.concat(pets, losing))).toBe(3)
    expect(yield* store.addAll(pets)).toBe(3)
    expect(yield* count).toEqual({ pets: 6, staged: 0 })
  })

  it.scopedLive(
    "warns that a second import of the same pets would add nothing if that cannot be prevented",
    () =>
      Effect.gen(function* () {
        const { run, store } = yield* proxied
        yield* run(`
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
        CREATE TRIGGER refuse BEFORE DELETE ON pet_imports FOR EACH ROW EXECUTE FUNCTION refuse()`)
        // That one left by another cannot be removed is not its failure.
        yield* run(
          "INSERT INTO pet_imports VALUES (gen_random_uuid(), now() - INTERVAL '25 hours')"
        )
        const { logs, result } = yield* advancing(
          logged(store.addAll(Stream.fromIterable(arrivals(3))))
        )
        expect(result).toBe(3)
        expect(logs).toEqual([expect.stringContaining("would not be added")])
      }).pipe(Effect.provide(TestContext.TestContext))
  )
})
