import { createHash } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import { ours, terminate, untilBlocked } from "@petstore/local-postgres/support/Session"
import { Effect, Exit, Fiber, Redacted } from "effect"
import type * as ConnectionPool from "../src/internal/ConnectionPool.ts"
import { migrations } from "../src/internal/Migrations.ts"
import * as Migrator from "../src/internal/Migrator.ts"
import * as PostgresFailure from "../src/internal/PostgresFailure.ts"
import {
  admin,
  connectToRun,
  emptyDatabase,
  live,
  names,
  openStore,
  pet,
  urlOf,
  withParameters
} from "./support/Databases.ts"
import { expectFailure, makeClock } from "./support/Failures.ts"

const query = (url: Redacted.Redacted, sql: string) =>
  Effect.scoped(Effect.flatMap(connectToRun(url), ({ run }) => run(sql)))

const createTable = `CREATE TABLE petstore_migrations (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  is_compatible BOOLEAN NOT NULL,
  created_at TIMESTAMPTZ NOT NULL DEFAULT now()
)`

/** Add the digest of a new one, which the failure shows. */
it("migrations that were released are not changed", () => {
  const digestOf = (migration: unknown) =>
    createHash("sha256").update(JSON.stringify(migration)).digest("hex").slice(0, 8)
  expect(migrations.map(digestOf)).toEqual([
    "2fa5911d",
    "7fbe3478",
    "7add4f0b",
    "18601cbe",
    "c8208553",
    "619fd263",
    "a2b69941"
  ])
})

describe("an empty database", () => {
  live("is migrated once when many servers start together", function* () {
    const url = yield* emptyDatabase
    const stores = yield* Effect.all(
      Array.from({ length: 16 }, () => openStore({ url, maxConnections: 2 })),
      { concurrency: "unbounded" }
    )
    yield* Effect.forEach(stores, (store, nth) => store.add(pet(`pet ${nth}`)), {
      concurrency: "unbounded"
    })
    for (const store of stores) expect((yield* names(store)).length).toBe(16)
    const done = yield* query(
      url,
      "SELECT id, name, is_compatible FROM petstore_migrations ORDER BY id"
    )
    expect(done).toEqual(
      migrations.map(({ isCompatible, name }, nth) => ({
        id: nth + 1,
        name,
        is_compatible: isCompatible
      }))
    )
    expect(done[0]).toMatchObject({ id: 1, name: "pets" })
  })

  live("is refused if it cannot keep every text", function* () {
    const name = "test_latin1"
    yield* Effect.acquireRelease(
      admin(`CREATE DATABASE ${name} ENCODING 'LATIN1' TEMPLATE template0`),
      () => admin(`DROP DATABASE ${name} WITH (FORCE)`)
    )
    const failure = yield* expectFailure(openStore({ url: urlOf(name) }), "incompatible")
    expect(failure).toMatchObject({ cause: { message: "its encoding is LATIN1, not UTF8" } })
  })
})

describe("a database of a later version", () => {
  const later = (isCompatible: boolean) =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase
      yield* Effect.scoped(Effect.flatMap(openStore({ url }), (store) => store.add(pet("Rex"))))
      yield* query(
        url,
        `INSERT INTO petstore_migrations (id, name, is_compatible)
         VALUES (100, 'last', TRUE), (99, 'moved_pets', ${isCompatible}), (98, 'more_pets', ${isCompatible})`
      )
      return url
    })

  live("is refused", function* () {
    const url = yield* later(false)
    const known = `${migrations.length} (${migrations.at(-1)?.name})`
    const expectRefusal = (version: string) =>
      Effect.map(expectFailure(openStore({ url }), "incompatible"), (failure) =>
        expect(failure).toMatchObject({
          cause: { message: `it has schema version ${version}, this program knows ${known}` }
        })
      )
    yield* expectRefusal("99 (moved_pets)")
    const next = migrations.length + 1
    yield* query(url, `DELETE FROM petstore_migrations WHERE id > 98`)
    yield* query(url, `UPDATE petstore_migrations SET id = ${next} WHERE id = 98`)
    yield* expectRefusal(`${next} (more_pets)`)
  })

  live("is used if its migrations are marked as compatible", function* () {
    const store = yield* openStore({ url: yield* later(true) })
    yield* store.add(pet("Tom"))
    expect(yield* names(store)).toEqual(["Rex", "Tom"])
  })
})

describe("a migration that another program is running", () => {
  live("is waited for by one transaction after the other: locks may take too long", function* () {
    const url = yield* emptyDatabase
    const rival = yield* connectToRun(url)
    yield* rival.run(createTable)
    yield* rival.run("BEGIN; INSERT INTO petstore_migrations VALUES (1, 'rival', FALSE)")
    const { other, run } = yield* connectToRun(url)
    const opening = yield* Effect.fork(
      openStore({ url: withParameters(url, { lock_timeout: 50 }) })
    )
    yield* untilBlocked(other)
    const find = `SELECT xact_start::text AS since ${ours} AND wait_event_type = 'Lock'`
    const [first] = yield* run(find)
    const again = Effect.repeat(Effect.delay(run(find), "10 millis"), {
      until: ([one]) => one !== undefined && one.since !== first?.since
    })
    yield* Effect.raceFirst(again, Fiber.join(opening))
    yield* rival.run("ROLLBACK")
    yield* (yield* Fiber.join(opening)).add(pet("Rex"))
  })
})

/** Runs the migrations on a database whose statements fail like this, this often. */
const failing = (code: string, times: number) => {
  let failures = 0
  const error = PostgresFailure.from(Object.assign(new Error(), { code }))
  const query: ConnectionPool.Query = (statement) => {
    const text = String(statement)
    if (text.startsWith("CREATE TABLE IF") && failures < times) {
      failures++
      return Effect.fail(error)
    }
    return Effect.succeed(Object(text === "SHOW server_encoding" ? [["UTF8"]] : []))
  }
  const pool = Object({
    query,
    transaction: (body: (run: typeof query) => unknown) => body(query)
  })
  const { clock, seconds } = makeClock()
  return Effect.map(
    Effect.exit(Effect.withClock(Migrator.run(query, Effect.succeed(pool)), clock)),
    (exit) => ({ failures, seconds: seconds(), isDone: Exit.isSuccess(exit) })
  )
}

describe("a migration that fails", () => {
  it.effect.each(["23505", "42P07", "42710", "40001", "40P01", "55P03", "XX000"])(
    "as those that run together do (%s) is tried again, for 20 seconds",
    (code) =>
      Effect.gen(function* () {
        expect(yield* failing(code, 99)).toMatchObject({ failures: 99, isDone: true })
        const { isDone, seconds } = yield* failing(code, Number.POSITIVE_INFINITY)
        expect([isDone, Math.round(seconds)]).toEqual([false, 20])
      })
  )

  it.effect("for another reason is not tried again", () =>
    Effect.map(failing("42501", 2), (result) =>
      expect(result).toMatchObject({ failures: 1, isDone: false })
    )
  )
})

describe("a migration whose backend is terminated", () => {
  live("fails without a defect, and the next start runs it", function* () {
    const url = yield* emptyDatabase
    const { other, run } = yield* connectToRun(url)
    yield* run(createTable)
    yield* run("BEGIN; INSERT INTO petstore_migrations VALUES (1, 'rival', FALSE)")
    const starting = yield* Effect.fork(expectFailure(openStore({ url }), "down", 5000))
    yield* untilBlocked(other)
    yield* run(terminate)
    yield* Fiber.join(starting)
    yield* run("ROLLBACK")
    yield* Effect.scoped(openStore({ url }))
    expect(yield* run("SELECT id FROM pets")).toEqual([])
  })
})

describe("a migrated database", () => {
  live("is opened by a role that may not create tables", function* () {
    const url = yield* emptyDatabase
    yield* Effect.scoped(openStore({ url }))
    const { pathname } = new URL(Redacted.value(url))
    const role = `role_${pathname.slice(1)}`
    yield* Effect.acquireRelease(
      query(
        url,
        `CREATE ROLE ${role} LOGIN PASSWORD 'secret';
           GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`
      ),
      () => query(url, `DROP OWNED BY ${role}; DROP ROLE ${role}`)
    )
    const limited = new URL(Redacted.value(url))
    limited.username = role
    limited.password = "secret"
    const store = yield* openStore({ url: Redacted.make(limited.href) })
    yield* store.add(pet("Rex"))
    expect(yield* names(store)).toEqual(["Rex"])
  })
})
