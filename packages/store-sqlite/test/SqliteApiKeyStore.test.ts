import { renameSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { ApiKey, Instant, KeyDigest, KeyId } from "@petstore/access/ApiKey"
import { durableKeySuite } from "@petstore/store-testkit/vitest"
import { Effect, Logger, Schema } from "effect"
import { place, setUp } from "./support/SqliteFile.ts"

const key = Schema.decodeSync(ApiKey)({
  id: "0123456789",
  name: "the key of a test",
  digest: "a".repeat(64),
  scopes: ["pets:write", "pets:read"],
  created: 1_700_000_000_000
})

durableKeySuite("SqliteApiKeyStore", place)

describe("keys in a SQLite file", () => {
  it.scopedLive("are listed with changes made by hand", () =>
    Effect.gen(function* () {
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
  )

  it.scopedLive("are not read from a file that is no longer in its place", () =>
    Effect.gen(function* () {
      const { filename, keys } = yield* setUp
      yield* keys.add(key)
      renameSync(filename, `${filename}.old`)
      const down = { _tag: "StoreUnavailable", reason: "down" }
      expect(yield* Effect.flip(keys.list)).toMatchObject(down)
      renameSync(`${filename}.old`, filename)
      expect(yield* keys.list).toEqual([key])
    })
  )

  it.scopedLive("are all noted by one command, also when twenty thousand are in use", () =>
    Effect.gen(function* () {
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
  )

  for (const [how, change] of [
    ["no scope", "scopes = ''"],
    ["a scope that is none", "scopes = 'pets:read \"fly'"],
    ["no name", "name = ''"],
    ["a digest that is none", "digest = 'abc'"],
    ["an id that is none", "id = 'ABC'"],
    ["a moment beyond all others", "expires = 9223372036854775807"]
  ] as const) {
    it.scopedLive(`open nothing when the row has ${how}, and leave the others alone`, () =>
      Effect.gen(function* () {
        const { keys, other } = yield* setUp
        const good = {
          ...key,
          id: KeyId.make("vvvvvvvvvv"),
          digest: KeyDigest.make("c".repeat(64))
        }
        yield* keys.add(key)
        yield* keys.add(good)
        other.exec(`UPDATE api_keys SET ${change} WHERE id = '${key.id}'`)
        const logs: Array<unknown> = []
        const logger = Logger.make(({ message }) => logs.push(message))
        const list = Effect.provide(keys.list, Logger.replace(Logger.defaultLogger, logger))
        expect(yield* list).toEqual([good])
        expect(yield* list).toEqual([good])
        expect(logs).toEqual([[expect.stringContaining("ignoring invalid keys")]])
        expect(yield* keys.revoke(good.id, key.created)).toBe(true)
        expect(yield* list).toEqual([{ ...good, revoked: key.created }])
      })
    )
  }

  it.scopedLive("can be read while another process holds the lock, and are busy for changes", () =>
    Effect.gen(function* () {
      const { keys, other } = yield* setUp
      yield* keys.add(key)
      other.exec("BEGIN IMMEDIATE")
      const failure = yield* Effect.flip(keys.revoke(KeyId.make(key.id), Instant.make(0)))
      expect(failure).toMatchObject({ _tag: "StoreUnavailable", reason: "busy" })
      expect(yield* keys.list).toEqual([key])
      other.exec("ROLLBACK")
      expect(yield* keys.revoke(key.id, Instant.make(0))).toBe(true)
    })
  )
})
