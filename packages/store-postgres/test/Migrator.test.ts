import { describe, expect } from "@effect/vitest"
import { ours, terminate, untilBlocked } from "@petstore/local-postgres/support/Session"
import { Effect, Fiber, Redacted } from "effect"
import { migrations } from "../src/internal/Migrations.ts"
import {
  admin,
  connectToRun,
  database,
  live,
  names,
  openStore,
  pet,
  urlOf
} from "./support/Databases.ts"
import { expectFailure } from "./support/Failures.ts"

const query = (url: Redacted.Redacted, sql: string) =>
  Effect.scoped(Effect.flatMap(connectToRun(url), ({ run }) => run(sql)))

const createTable = `CREATE TABLE petstore_migrations (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  is_compatible BOOLEAN NOT NULL,
  created_at TIMESTAMPTZ NOT NULL DEFAULT now()
)`

describe("an empty database", () => {
  live("is migrated once when many servers start together", function* () {
    const url = yield* database
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
      const url = yield* database
      yield* Effect.scoped(Effect.flatMap(openStore({ url }), (store) => store.add(pet("Rex"))))
      yield* query(
        url,
        `INSERT INTO petstore_migrations (id, name, is_compatible)
         VALUES (98, 'more_pets', TRUE), (99, 'moved_pets', ${isCompatible}), (100, 'last', TRUE)`
      )
      return url
    })

  live("is refused", function* () {
    const failure = yield* expectFailure(openStore({ url: yield* later(false) }), "incompatible")
    const known = `${migrations.length} (${migrations.at(-1)?.name})`
    const message = `it has schema version 99 (moved_pets), this program knows ${known}`
    expect(failure).toMatchObject({ cause: { message } })
  })

  live("is used if its migrations are marked as compatible", function* () {
    const store = yield* openStore({ url: yield* later(true) })
    yield* store.add(pet("Tom"))
    expect(yield* names(store)).toEqual(["Rex", "Tom"])
  })
})

describe("a migration that another program is running", () => {
  live("is waited for by one transaction after the other: locks may take too long", function* () {
    const url = yield* database
    const rival = yield* connectToRun(url)
    yield* rival.run(createTable)
    yield* rival.run("BEGIN; INSERT INTO petstore_migrations VALUES (1, 'rival', FALSE)")
    const { other, run } = yield* connectToRun(url)
    const opening = yield* Effect.fork(openStore({ url, lockTimeout: "50 millis" }))
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

describe("a migration whose backend is terminated", () => {
  live("fails without a defect, and the next start runs it", function* () {
    const url = yield* database
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
    const url = yield* database
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
