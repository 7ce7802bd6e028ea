import { describe, expect } from "@effect/vitest"
import { type ApiKey, Instant, KeyDigest, KeyId } from "@petstore/access/ApiKey"
import { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import { PetId } from "@petstore/domain/Pet"
import { PetStore } from "@petstore/domain/PetStore"
import { untilBlocked } from "@petstore/local-postgres/support/Session"
import * as PostgresStores from "@petstore/store-postgres/PostgresStores"
import { durableKeySuite } from "@petstore/store-testkit/vitest"
import { Context, Effect, Fiber, Logger, Option } from "effect"
import {
  connect,
  connectToRun,
  counted,
  database,
  key,
  limit,
  live,
  logged,
  patient,
  pet,
  place
} from "./support/Databases.ts"

const setUp = Effect.gen(function* () {
  const url = yield* database
  const [keys, second] = yield* Effect.replicateEffect(
    Effect.map(PostgresStores.make(patient(url)), Context.get(ApiKeyStore)),
    2
  )
  const { run } = yield* connectToRun(url)
  if (keys === undefined || second === undefined) throw new Error("no store")
  return { keys, run, second }
})

const other = (nth: number): ApiKey => ({
  ...key,
  id: KeyId.make(String(nth).padStart(10, "v")),
  digest: KeyDigest.make(String(nth).padStart(64, "b"))
})

durableKeySuite("PostgresApiKeyStore", place)

describe("keys in PostgreSQL", () => {
  live("are read again after changes by hand that raise the version", function* () {
    const { keys, run } = yield* setUp
    yield* keys.add(key)
    const { version } = yield* keys.changes(undefined)
    yield* run("UPDATE api_keys SET revoked = 5")
    yield* run("UPDATE api_key_changes SET count = count + 1, removed = count + 1")
    const changes = yield* keys.changes(version)
    expect(changes).toMatchObject({ keys: [{ ...key, revoked: 5 }], isAll: true })
    yield* run("DELETE FROM api_keys")
    yield* run("UPDATE api_key_changes SET count = count + 1, removed = count + 1")
    const last = yield* keys.changes(changes.version)
    expect(last).toMatchObject({ keys: [], isAll: true })
    // They are known from then on.
    expect(yield* keys.changes(last.version)).toEqual({ ...last, isAll: false })
    expect(yield* keys.changes(`${"9".repeat(20)}.`)).toEqual(last)
  })

  live("are all read when a changed one is no longer valid, so that it is forgotten", function* () {
    const { keys, run } = yield* setUp
    yield* keys.add(key)
    const { version } = yield* keys.changes(undefined)
    yield* run("UPDATE api_key_changes SET count = count + 1")
    yield* run("UPDATE api_keys SET scopes = '', changed = (SELECT count FROM api_key_changes)")
    const changes = Effect.provide(keys.changes(version), Logger.remove(Logger.defaultLogger))
    expect(yield* changes).toMatchObject({ keys: [], isAll: true })
  })

  live(
    "are all read after an older dump was restored, though as many changes followed",
    function* () {
      const { keys, run, second } = yield* setUp
      yield* keys.add(key)
      for (const table of ["api_keys", "api_key_changes"]) {
        yield* run(`CREATE TABLE dumped_${table} AS SELECT * FROM ${table}`)
      }
      const dumped = yield* keys.changes(undefined)
      yield* keys.add(other(1))
      const { version } = yield* keys.changes(dumped.version)
      for (const table of ["api_keys", "api_key_changes"]) {
        yield* run(`DELETE FROM ${table}`)
        yield* run(`INSERT INTO ${table} SELECT * FROM dumped_${table}`)
      }
      yield* second.revoke(key.id, key.created)
      const revoked = { ...key, revoked: key.created }
      const changes = yield* keys.changes(version)
      expect(changes).toMatchObject({ keys: [revoked], isAll: true })
      expect(yield* keys.changes(changes.version)).toMatchObject({ keys: [], isAll: false })
      // The dump is part of this history.
      expect(yield* keys.changes(dumped.version)).toEqual({ ...changes, isAll: false })
    }
  )

  live("are all read after more changes than the database remembers", function* () {
    const { keys, run } = yield* setUp
    yield* run("UPDATE api_key_changes SET count = 99999999999")
    const versions: Array<string> = []
    for (let nth = 0; nth < 40; nth++) {
      versions.push((yield* keys.changes(undefined)).version)
      yield* keys.add(other(nth))
    }
    const since = (changes: number) => keys.changes(versions.at(-changes))
    expect(yield* since(32)).toMatchObject({ isAll: true })
    expect(yield* since(31)).toMatchObject({ isAll: false })
    expect((yield* since(31)).keys).toHaveLength(31)
    const remembered = "SELECT jsonb_object_keys(versions) FROM api_key_changes"
    expect(yield* run(remembered)).toHaveLength(32)
  })

  /** Two pools, and statements on a table that do not end. */
  const setUpPools = (table: string) =>
    Effect.gen(function* () {
      const url = yield* database
      const { counts, onOpen } = counted()
      const options = { ...patient(url), maxConnections: 2, onOpen }
      const stores = yield* PostgresStores.make(options)
      const [keys, pets] = [Context.get(stores, ApiKeyStore), Context.get(stores, PetStore)]
      yield* keys.add(key)
      yield* pets.add(pet("Rex"))
      const other = yield* connect(url)
      yield* Effect.promise(() => other.query(`BEGIN; LOCK TABLE ${table}`))
      /** Starts this three times, and expects that none ends before the test is over. */
      const hold = <A, E>(operation: Effect.Effect<A, E>) =>
        Effect.gen(function* () {
          const start = Effect.zipLeft(Effect.fork(operation), untilBlocked(other))
          const fibers = yield* Effect.replicateEffect(start, 3)
          yield* Effect.addFinalizer(() =>
            Effect.gen(function* () {
              for (const one of fibers) expect(yield* Fiber.poll(one)).toEqual(Option.none())
              yield* Effect.promise(() => other.query("ROLLBACK"))
              yield* Effect.forEach(fibers, Fiber.await)
            })
          )
        })
      // Equal reads of one turn would share a connection.
      const reads = Effect.all([pets.get(PetId.make(1n)), pets.list({ limit })], { concurrency: 2 })
      return { counts, hold, keys, pets, reads }
    })

  live("are read while requests use all connections of the pool, and more wait", function* () {
    const { counts, hold, keys, reads } = yield* setUpPools("pets")
    yield* hold(reads)
    const full = { used: 2, idle: 0, waiting: 4 }
    yield* Effect.promise(() => expect.poll(counts).toMatchObject(full))
    expect(yield* keys.changes(undefined)).toMatchObject({ keys: [key] })
    expect(counts()).toMatchObject(full)
  })

  live("do not delay requests while their connection is in use, and more wait", function* () {
    const { hold, keys, pets, reads } = yield* setUpPools("api_keys")
    yield* hold(keys.changes(undefined))
    expect(yield* reads).toMatchObject([{ name: "Rex" }, { pets: [{ name: "Rex" }] }])
    expect(yield* pets.add(pet("Tom"))).toMatchObject({ id: 2n })
  })

  live("have one first key, whichever server adds it", function* () {
    const { keys, second } = yield* setUp
    const firsts = Array.from({ length: 10 }, (_, nth) =>
      (nth % 2 === 0 ? keys : second).addFirst(other(nth))
    )
    const added = yield* Effect.all(firsts, { concurrency: "unbounded" })
    expect(added.filter((isDone) => isDone)).toEqual([true])
    expect((yield* keys.list).length).toBe(1)
  })

  live("are all noted by servers that use the same ones in another order", function* () {
    const { keys, run, second } = yield* setUp
    const ids = Array.from({ length: 5000 }, (_, nth) =>
      KeyId.make(nth.toString(32).padStart(10, "0"))
    )
    yield* run(
      `INSERT INTO api_keys (id, name, digest, scopes, created, changed)
         SELECT id, 'x', id, 'pets:read', 0, 0 FROM unnest($1::text[]) AS id`,
      [ids]
    )
    const note = (store: typeof keys, order: ReadonlyArray<KeyId>, at: number) =>
      store.noteUses(
        order.map((id) => ({ id, at: Instant.make(at) })),
        Instant.make(100)
      )
    const rounds = Array.from({ length: 10 }, (_, nth) => [
      note(keys, ids, 60 + nth),
      note(second, ids.toReversed(), 60 + nth)
    ])
    yield* Effect.all(rounds.flat(), { concurrency: 4 })
    expect(yield* run("SELECT DISTINCT last_used FROM api_keys")).toEqual([{ last_used: "69" }])
  })

  live("open nothing when the row is invalid, and leave the others alone", function* () {
    const { keys, run } = yield* setUp
    const good = other(1)
    yield* keys.add(key)
    yield* keys.add(good)
    yield* run(`UPDATE api_keys SET scopes = '' WHERE id = '${key.id}'`)
    const { logs, result } = yield* logged(Effect.zip(keys.list, keys.list))
    expect(result).toEqual([[good], [good]])
    expect(logs).toEqual([expect.stringContaining("ignoring invalid keys")])
  })
})
