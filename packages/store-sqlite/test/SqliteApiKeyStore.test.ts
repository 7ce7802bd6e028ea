import { describe, expect, vi } from "@effect/vitest"
import { ApiKey, KeyId } from "@petstore/access/ApiKey"
import { durableKeySuite } from "@petstore/store-testkit/vitest"
import { Effect, Logger, Schema } from "effect"
import { connect, live, pet, place, setUp } from "./support/SqliteFile.ts"

durableKeySuite("SqliteApiKeyStore", place)

const keyOf = (letter: string): ApiKey =>
  Schema.decodeSync(ApiKey)({
    id: letter.repeat(10),
    name: letter,
    digest: letter.repeat(64),
    scopes: ["pets:read"],
    created: 1_700_000_000_000
  })
const [a, b, c] = [keyOf("a"), keyOf("b"), keyOf("c")]

/** Three keys, and what has changed since the last time this was asked. */
const threeKeys = Effect.gen(function* () {
  const { filename, keys, other, store } = yield* setUp
  for (const key of [a, b, c]) yield* keys.add(key)
  let { version } = yield* keys.changes(undefined)
  const news = Effect.suspend(() => keys.changes(version)).pipe(
    Effect.map((changes) => {
      version = changes.version
      return { keys: changes.keys, isAll: changes.isAll }
    })
  )
  return { filename, keys, news, other, store }
})

const nothing = { keys: [], isAll: false }

live("the digest of another key is not an id that is taken: adding it fails", function* () {
  const { keys } = yield* threeKeys
  const add = keys.add({ ...a, id: KeyId.make("vvvvvvvvvv") })
  expect(yield* Effect.flip(add)).toMatchObject({ reason: "down" })
  expect(yield* keys.list).toEqual([a, b, c])
})

describe("a change of a key by hand", () => {
  const changes: ReadonlyArray<readonly [string, Partial<ApiKey>]> = [
    ["name = 'new name'", { name: Schema.decodeSync(ApiKey.fields.name)("new name") }],
    [
      `digest = '${"d".repeat(64)}'`,
      { digest: Schema.decodeSync(ApiKey.fields.digest)("d".repeat(64)) }
    ],
    ["scopes = 'pets:write'", { scopes: ["pets:write"] }],
    ...(["created", "expires", "retires", "revoked"] as const).map(
      (column) => [`${column} = 5`, { [column]: 5 }] as const
    )
  ]
  for (const [assignment, expected] of changes) {
    live(`is noticed: ${assignment}`, function* () {
      const { news, other } = yield* threeKeys
      other.exec(`UPDATE api_keys SET ${assignment} WHERE id = '${b.id}'`)
      expect(yield* news).toEqual({ keys: [{ ...b, ...expected }], isAll: false })
      expect(yield* news).toEqual(nothing)
    })
  }

  live("is noticed when the key gets another id, which removes the old one", function* () {
    const { news, other } = yield* threeKeys
    const id = KeyId.make("dddddddddd")
    other.exec(`UPDATE api_keys SET id = '${id}' WHERE id = '${b.id}'`)
    expect(yield* news).toEqual({ keys: [a, c, { ...b, id }], isAll: true })
    expect(yield* news).toEqual(nothing)
  })

  live("is noticed when keys are removed: the others are all there are", function* () {
    const { keys, news, other } = yield* threeKeys
    other.exec(`DELETE FROM api_keys WHERE id = '${b.id}'`)
    expect(yield* news).toEqual({ keys: [a, c], isAll: true })
    expect(yield* news).toEqual(nothing)
    yield* keys.add(b)
    expect(yield* news).toEqual({ keys: [b], isAll: false })
    other.exec("DELETE FROM api_keys")
    expect(yield* news).toEqual({ keys: [], isAll: true })
  })

  live("is noticed the next time if it is made while changes are read", function* () {
    const { news, other } = yield* threeKeys
    const statements: { all: (...values: ReadonlyArray<unknown>) => unknown } =
      Object.getPrototypeOf(other.prepare("SELECT 1"))
    const { all } = statements
    const reading = vi.spyOn(statements, "all").mockImplementationOnce(function (
      this: unknown,
      ...values
    ) {
      const rows = all.apply(this, values)
      other.exec(`UPDATE api_keys SET revoked = 5 WHERE id = '${b.id}'`)
      return rows
    })
    yield* Effect.addFinalizer(() => Effect.sync(() => reading.mockRestore()))
    expect(yield* news).toEqual(nothing)
    expect(yield* news).toEqual({ keys: [{ ...b, revoked: 5 }], isAll: false })
  })

  live("is noticed when a row is replaced", function* () {
    const { news, other } = yield* threeKeys
    other.exec(
      `REPLACE INTO api_keys (id, name, digest, scopes, created)
         VALUES ('${b.id}', 'b', '${"e".repeat(64)}', 'pets:read', ${b.created})`
    )
    expect(yield* news).toEqual({ keys: [{ ...b, digest: "e".repeat(64) }], isAll: false })
  })

  live("is none when it writes what is there, or a use", function* () {
    const { news, other, store } = yield* threeKeys
    other.exec("UPDATE api_keys SET name = name, revoked = NULL, id = id")
    other.exec("UPDATE api_keys SET last_used = 5")
    yield* store.add(pet("own"))
    other.exec("INSERT INTO pets (name, category_id) VALUES ('other', 1)")
    expect(yield* news).toEqual(nothing)
  })
})

describe("a row that is not a valid key", () => {
  live("ends the key it held, is warned about once, and may be repaired", function* () {
    const { keys, news, other } = yield* threeKeys
    const logs: Array<unknown> = []
    const set = (scopes: string) =>
      other.exec(`UPDATE api_keys SET scopes = '${scopes}' WHERE id = '${b.id}'`)
    const logger = Logger.make(({ message }) => logs.push(message))
    yield* Effect.provide(
      Effect.gen(function* () {
        set('"fly')
        expect(yield* news).toEqual({ keys: [a, c], isAll: true })
        expect(yield* news).toEqual(nothing)
        yield* keys.revoke(a.id, a.created)
        expect(yield* news).toEqual({ keys: [{ ...a, revoked: a.created }], isAll: false })
        set('"swim')
        expect((yield* news).isAll).toBe(true)
        set("pets:read")
        expect(yield* news).toEqual({ keys: [b], isAll: false })
      }),
      Logger.replace(Logger.defaultLogger, logger)
    )
    expect(logs).toEqual([[expect.stringContaining(b.id)]])
  })
})

describe("unknown versions", () => {
  const everything = { keys: [a, b, c], isAll: true }

  live("are those of a file that was set back", function* () {
    const { news, other } = yield* threeKeys
    other.exec("UPDATE api_key_changes SET count = count - 1")
    expect(yield* news).toEqual(everything)
  })

  live(
    "are those of a file into which an older backup was restored while it was open",
    function* () {
      const { filename, keys, news, other } = yield* threeKeys
      const backup = `${filename}.backup`
      yield* Effect.promise(() => other.backup(backup))
      yield* keys.add(keyOf("d"))
      expect(yield* news).toEqual({ keys: [keyOf("d")], isAll: false })
      const saved = yield* connect(backup)
      yield* Effect.promise(() => saved.backup(filename))
      yield* keys.revoke(b.id, b.created)
      const revoked = { ...b, revoked: b.created }
      expect(yield* news).toEqual({ keys: [a, revoked, c], isAll: true })
      expect(yield* news).toEqual(nothing)
    }
  )

  live("are those of a file whose count is gone, until it is back", function* () {
    const { keys, news, other } = yield* threeKeys
    other.exec("DELETE FROM api_key_changes")
    expect(yield* news).toEqual(everything)
    expect(yield* news).toEqual(everything)
    const revoked = { ...b, revoked: b.created }
    yield* keys.revoke(b.id, b.created)
    expect(yield* news).toEqual({ keys: [a, revoked, c], isAll: true })
    other.exec("INSERT INTO api_key_changes (count) VALUES (100)")
    expect(yield* news).toEqual({ keys: [a, revoked, c], isAll: true })
    yield* keys.revoke(c.id, c.created)
    expect(yield* news).toEqual({ keys: [{ ...c, revoked: c.created }], isAll: false })
  })
})
