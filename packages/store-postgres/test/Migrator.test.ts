import { describe, expect, it } from "@effect/vitest"
import { terminate, untilBlocked } from "@petstore/local-postgres/Session"
import { Effect, Fiber, Redacted } from "effect"
import { admin, connect, database, names, openStore, pet, urlOf } from "./support/Databases.ts"
import { expectFailure } from "./support/Failures.ts"

const query = (url: Redacted.Redacted, sql: string) =>
  Effect.scoped(
    Effect.flatMap(connect(url), (client) =>
      Effect.promise(async () => (await client.query(sql)).rows)
    )
  )

describe("an empty database", () => {
  it.scopedLive("is migrated once when many servers start together", () =>
    Effect.gen(function* () {
      const url = yield* database
      const stores = yield* Effect.all(
        Array.from({ length: 16 }, () => openStore({ url, maxConnections: 2 })),
        { concurrency: "unbounded" }
      )
      yield* Effect.forEach(stores, (store, nth) => store.add(pet(`pet ${nth}`)), {
        concurrency: "unbounded"
      })
      for (const store of stores) expect((yield* names(store)).length).toBe(16)
      const done = yield* query(url, "SELECT id, name FROM petstore_migrations ORDER BY id")
      expect(done).toEqual([
        { id: 1, name: "pets" },
        { id: 2, name: "imports" },
        { id: 3, name: "api_keys" },
        { id: 4, name: "idempotency_keys" },
        { id: 5, name: "key_versions" },
        { id: 6, name: "import_outcomes" }
      ])
    })
  )

  it.scopedLive("is refused if it cannot keep every text", () =>
    Effect.gen(function* () {
      const name = "test_latin1"
      yield* Effect.acquireRelease(
        admin(`CREATE DATABASE ${name} ENCODING 'LATIN1' TEMPLATE template0`),
        () => admin(`DROP DATABASE ${name} WITH (FORCE)`)
      )
      const failure = yield* expectFailure(openStore({ url: urlOf(name) }), "incompatible")
      expect(failure).toMatchObject({ cause: { message: "its encoding is LATIN1, not UTF8" } })
    })
  )
})

describe("a database of a later version", () => {
  const later = (isCompatible: boolean) =>
    Effect.gen(function* () {
      const url = yield* database
      yield* Effect.scoped(Effect.flatMap(openStore({ url }), (store) => store.add(pet("Rex"))))
      yield* query(
        url,
        `INSERT INTO petstore_migrations (id, name, is_compatible)
         VALUES (98, 'more_pets', TRUE), (99, 'moved_pets', ${isCompatible})`
      )
      return url
    })

  it.scopedLive("is refused", () =>
    Effect.gen(function* () {
      const failure = yield* expectFailure(openStore({ url: yield* later(false) }), "incompatible")
      const message =
        "it has schema version 99 (moved_pets), this program knows 6 (import_outcomes)"
      expect(failure).toMatchObject({ cause: { message } })
    })
  )

  it.scopedLive("is used if its migrations are marked as compatible", () =>
    Effect.gen(function* () {
      const store = yield* openStore({ url: yield* later(true) })
      yield* store.add(pet("Tom"))
      expect(yield* names(store)).toEqual(["Rex", "Tom"])
    })
  )
})

describe("a migration whose backend is terminated", () => {
  it.scopedLive("fails without a defect, and the next start runs it", () =>
    Effect.gen(function* () {
      const url = yield* database
      const other = yield* connect(url)
      const run = (sql: string) => Effect.promise(async () => (await other.query(sql)).rows)
      yield* Effect.scoped(openStore({ url }))
      yield* run("ALTER TABLE pet_imports DROP COLUMN digest, DROP COLUMN committed")
      yield* run("DELETE FROM petstore_migrations WHERE id = 6")
      yield* run("BEGIN; INSERT INTO petstore_migrations VALUES (6, 'rival', FALSE)")
      const starting = yield* Effect.fork(expectFailure(openStore({ url }), "down", 5000))
      yield* untilBlocked(other)
      yield* run(terminate)
      yield* Fiber.join(starting)
      yield* run("ROLLBACK")
      yield* Effect.scoped(openStore({ url }))
      expect(yield* run("SELECT digest, committed FROM pet_imports")).toEqual([])
    })
  )
})

describe("a migrated database", () => {
  it.scopedLive("is opened by a role that may not create tables", () =>
    Effect.gen(function* () {
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
  )
})
