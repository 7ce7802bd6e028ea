import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { examine, file } from "./support/Doctor.ts"
import { folder } from "./support/Folder.ts"
import { run } from "./support/Program.ts"
import { shiftedClock } from "./support/ShiftedClock.ts"
import { withDatabase } from "./support/Sqlite.ts"
import { createKey } from "./support/Stock.ts"

describe.concurrent("petstore doctor, on clock and keys", () => {
  it.scopedLive("warns about a key that was created in the future", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const { id } = yield* createKey(path)
      withDatabase(join(path, file), (database) =>
        database.prepare("UPDATE api_keys SET created = ?").run(Date.now() + 3_600_000)
      )
      const { code, of } = yield* examine(path)
      expect(code).toBe(0)
      expect(of("clock")).toMatchObject([
        {
          state: "warning",
          message: expect.stringContaining(id),
          fix: expect.stringContaining("check this machine's clock")
        }
      ])
      yield* run(path, ["keys", "rotate", id, "--overlap", "0s"])
      const { of: later } = yield* examine(path)
      expect(later("clock")).toMatchObject([{ state: "good" }])
    })
  )

  it.scopedLive("does not judge the clock by when a key was last used", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* createKey(path)
      withDatabase(join(path, file), (database) =>
        database.prepare("UPDATE api_keys SET last_used = ?").run(Date.now() + 10 * 31_536_000_000)
      )
      const { states } = yield* examine(path)
      expect(states).toEqual(["good", "good", "good", "good"])
    })
  )

  it.scopedLive("says that the clock is wrong when it is before this release", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* createKey(path)
      const clock = shiftedClock(Date.UTC(2001, 0, 1) - Date.now())
      const { code, of } = yield* examine(path, {}, { clock })
      expect(code).toBe(1)
      expect(of("clock")).toMatchObject([
        {
          state: "bad",
          message: expect.stringMatching(/^it is 2001-.* before this release/),
          fix: expect.stringContaining("set this machine's clock")
        }
      ])
    })
  )

  it.scopedLive("counts a key once, however often it is listed", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const { key } = yield* createKey(path)
      const { of } = yield* examine(path, {
        PETSTORE_API_KEYS: `${key},number-one-of-one,${key},number-one-of-one`
      })
      expect(of("keys")).toMatchObject([{ state: "good", message: "2 active" }])
    })
  )

  it.scopedLive("does not count a revoked key that the environment lists", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const { id, key } = yield* createKey(path)
      yield* run(path, ["keys", "revoke", id])
      const { code, of } = yield* examine(path, { PETSTORE_API_KEYS: key })
      expect(code).toBe(1)
      expect(of("keys")).toMatchObject([{ state: "bad", message: "no key is active" }])
    })
  )

  it.scopedLive("names the first of many keys that end soon", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* createKey(path)
      withDatabase(join(path, file), (database) =>
        database
          .prepare(`
            WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 1000)
            INSERT INTO api_keys (id, name, digest, scopes, created, expires)
              SELECT printf('%010d', n), 'many', printf('%064d', n), 'pets:read', ?, ? FROM numbers
          `)
          .run(Date.now(), Date.now() + 3_600_000)
      )
      const { code, of } = yield* examine(path)
      expect(code).toBe(0)
      expect(of("clock")).toMatchObject([{ state: "good" }])
      const [keys] = of("keys")
      expect(keys?.message).toMatch(/^1001 active; ending soon: 0000000001, .* 990 more$/)
    })
  )

  it.scopedLive("says that no key is active, and counts those of the environment", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const { id } = yield* createKey(path)
      yield* run(path, ["keys", "revoke", id])
      const { code, of } = yield* examine(path)
      expect(code).toBe(1)
      expect(of("keys")).toMatchObject([
        { state: "bad", fix: expect.stringContaining("petstore keys create") }
      ])
      const fixed = yield* examine(path, {
        PETSTORE_API_KEYS: "number-one-of-two,number-two-of-two"
      })
      expect(fixed.of("keys")).toMatchObject([{ state: "good", message: "2 active" }])
    })
  )

  it.scopedLive("names the keys that end within a week", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const ending = yield* createKey(path, { expires: "6 days" })
      const lasting = yield* createKey(path, { expires: "8 days" })
      const { code, of } = yield* examine(path)
      expect(code).toBe(0)
      const [keys] = of("keys")
      expect(keys).toMatchObject({ state: "warning", fix: expect.stringContaining("rotate") })
      expect(keys?.message).toContain(ending.id)
      expect(keys?.message).not.toContain(lasting.id)
    })
  )
})
