import { describe, expect, it } from "@effect/vitest"
import { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import { PetStore } from "@petstore/domain/PetStore"
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import * as SharedPostgres from "@petstore/local-postgres/support/SharedPostgres"
import * as PostgresInspection from "@petstore/store-postgres/PostgresInspection"
import * as PostgresStores from "@petstore/store-postgres/PostgresStores"
import { Context, Effect, Redacted } from "effect"
import { database, emptyDatabase, key, live, pet } from "./support/Databases.ts"
import { expectFailure } from "./support/Failures.ts"

/** A database with a pet and a key. */
const filled = Effect.gen(function* () {
  const url = yield* database
  yield* Effect.scoped(
    Effect.gen(function* () {
      const stores = yield* PostgresStores.make({ url })
      yield* Context.get(stores, PetStore).add(pet("Rex"))
      yield* Context.get(stores, ApiKeyStore).add(key)
    })
  )
  const execute = (sql: string) =>
    Effect.promise(() => LocalPostgres.execute(Redacted.value(url), sql))
  return { url, execute }
})

describe.concurrent("an inspection", () => {
  live("finds nothing in a database without tables, and creates none", function* () {
    const url = yield* emptyDatabase
    for (let times = 0; times < 2; times++) {
      expect(yield* PostgresInspection.exists({ url })).toBe(false)
      expect(yield* PostgresInspection.run({ url })).toEqual({ state: "missing" })
    }
  })

  live("ends with several hosts, also where it cannot be interrupted", function* () {
    const { url } = yield* filled
    const hosts = `@127.0.0.1:1,127.0.0.1:${SharedPostgres.port()}/`
    const several = Redacted.make(Redacted.value(url).replace(/@[^/]*\//, hosts))
    const examined = PostgresInspection.run({ url: several })
    expect(yield* Effect.uninterruptible(examined)).toMatchObject({ state: "sound", pets: 1 })
  })

  live("counts pets and reads keys", function* () {
    const { url } = yield* filled
    expect(yield* PostgresInspection.exists({ url })).toBe(true)
    expect(yield* PostgresInspection.run({ url })).toEqual({
      state: "sound",
      system: expect.stringMatching(/^PostgreSQL \d+\.\d+/),
      pets: 1,
      longNames: [],
      keys: [key]
    })
  })

  live("finds names that are longer than those that are added now", function* () {
    const { execute, url } = yield* filled
    const insert = (id: number, length: number) =>
      execute(`INSERT INTO pets (id, name, category_id) VALUES (${id}, repeat('🐾', ${length}), 1)`)
    yield* insert(-1, 1000)
    yield* insert(-2, 1001)
    expect(yield* PostgresInspection.run({ url })).toMatchObject({
      state: "sound",
      longNames: [-2n]
    })
  })

  live("finds an older schema, and fails for a newer one", function* () {
    const { execute, url } = yield* filled
    yield* execute("DELETE FROM petstore_migrations WHERE id = 3")
    expect(yield* PostgresInspection.run({ url })).toEqual({ state: "outdated", missing: 1 })
    expect(yield* PostgresInspection.exists({ url })).toBe(true)
    yield* execute(
      "INSERT INTO petstore_migrations (id, name, is_compatible) VALUES (99, 'later', FALSE)"
    )
    yield* expectFailure(PostgresInspection.run({ url }), "incompatible")
  })

  it.scopedLive.each([
    { sql: "UPDATE pet_ids SET last = 0", problem: /pet 1 has a greater id than .*, 0$/ },
    { sql: "DELETE FROM pet_ids", problem: /pet_ids has no row/ },
    { sql: "DELETE FROM api_key_changes", problem: /api_key_changes has no row/ },
    { sql: "UPDATE api_keys SET scopes = '  '", problem: /row of key 0123456789 is not/ }
  ])("finds damage by $sql", ({ problem, sql }) =>
    Effect.gen(function* () {
      const { execute, url } = yield* filled
      yield* execute(sql)
      expect(yield* PostgresInspection.run({ url })).toEqual({
        state: "damaged",
        problems: [expect.stringMatching(problem)]
      })
    })
  )
})
