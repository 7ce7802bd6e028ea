import { renameSync } from "node:fs"
import { describe, expect } from "@effect/vitest"
import { ApiKey, Instant, KeyDigest, KeyId } from "@petstore/access/ApiKey"
import { durableKeySuite } from "@petstore/store-testkit/vitest"
import { Effect, Logger, Schema } from "effect"
import { live, place, setUp } from "./support/SqliteFile.ts"

const key = Schema.decodeSync(ApiKey)({
  id: "0123456789",
  name: "the key of a test",
  digest: "a".repeat(64),
  scopes: ["pets:write", "pets:read"],
  created: 1_700_000_000_000
})

durableKeySuite("SqliteApiKeyStore", place)

describe("keys in a SQLite file", () => {
  live("are listed with changes made by hand", function* () {
    const { keys, other } = yield* setUp
    yield* keys.add(key)
    expect(yield* keys.list).toEqual([key])
    other.exec("UPDATE api_keys SET revoked = 1700000000005")
    expect(yield* keys.list).toEqual([{ ...key, revoked: 1_700_000_000_005 }])
    other.exec("UPDATE api_keys SET revoked = NULL, expires = 0, scopes = 'pets:read'")
    expect(yield* keys.list).toEqual([{ ...key, expires: 0, scopes: ["pets:read"] }])
    other.exec(
      `INSERT INTO api_keys (id, name, digest, scopes, created)
         VALUES ('vvvvvvvvvv', 'by hand', '${"b".repeat(64)}', 'pets:read', -5)`
    )
    expect((yield* keys.list).map(({ name }) => name)).toEqual(["by hand", key.name])
    other.exec("DELETE FROM api_keys WHERE created > 0")
    expect((yield* keys.list).map(({ id }) => id)).toEqual(["vvvvvvvvvv"])
  })

  live("fail with the digest of another key, which is not an id that is taken", function* () {
    const { keys } = yield* setUp
    yield* keys.add(key)
    const add = keys.add({ ...key, id: KeyId.make("vvvvvvvvvv") })
    expect(yield* Effect.flip(add)).toMatchObject({ reason: "down" })
    expect(yield* keys.list).toEqual([key])
  })

  live("are not read from a file that is no longer in its place", function* () {
    const { filename, keys } = yield* setUp
    yield* keys.add(key)
    renameSync(filename, `${filename}.old`)
    const down = { _tag: "StoreUnavailable", reason: "down" }
    expect(yield* Effect.flip(keys.list)).toMatchObject(down)
    renameSync(`${filename}.old`, filename)
    expect(yield* keys.list).toEqual([key])
  })

  live("are all noted by one command, also when twenty thousand are in use", function* () {
    const { keys, other } = yield* setUp
    const ids = Array.from({ length: 20_000 }, (_, nth) =>
      KeyId.make(nth.toString(32).padStart(10, "0"))
    )
    const insert = other.prepare(
      "INSERT INTO api_keys (id, name, digest, scopes, created) VALUES (?, 'x', ?, 'pets:read', 0)"
    )
    other.transaction(() => {
      for (const [nth, id] of ids.entries()) insert.run(id, nth.toString(16).padStart(64, "0"))
    })()
    const { version } = yield* keys.changes(undefined)
    const at = Instant.make(60_000)
    yield* keys.noteUses(
      ids.map((id) => ({ id, at })),
      at
    )
    const noted = other.prepare("SELECT count(*) FROM api_keys WHERE last_used = 60000").pluck()
    expect(noted.get()).toBe(20_000)
    expect(yield* keys.changes(version)).toEqual({ version, keys: [], isAll: false })
  })

  live("open nothing when the row is invalid, and leave the others alone", function* () {
    const { keys, other } = yield* setUp
    const good = {
      ...key,
      id: KeyId.make("vvvvvvvvvv"),
      digest: KeyDigest.make("c".repeat(64))
    }
    yield* keys.add(key)
    yield* keys.add(good)
    other.exec(`UPDATE api_keys SET scopes = '' WHERE id = '${key.id}'`)
    const logs: Array<unknown> = []
    const logger = Logger.make(({ message }) => logs.push(message))
    const list = Effect.provide(keys.list, Logger.replace(Logger.defaultLogger, logger))
    expect(yield* list).toEqual([good])
    expect(yield* list).toEqual([good])
    expect(logs).toEqual([[expect.stringContaining("ignoring invalid keys")]])
    expect(yield* keys.revoke(good.id, key.created)).toBe(true)
    expect(yield* list).toEqual([{ ...good, revoked: key.created }])
  })
})
