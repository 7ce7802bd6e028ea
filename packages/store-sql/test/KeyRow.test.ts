import { describe, expect, it } from "@effect/vitest"
import { ApiKey } from "@petstore/access/ApiKey"
import * as KeyRow from "@petstore/store-sql/KeyRow"
import { Effect, Logger, Schema } from "effect"

const key = Schema.decodeSync(ApiKey)({
  id: "aaaaaaaaaa",
  name: "a robot",
  digest: "a".repeat(64),
  scopes: ["pets:read", "pets:write"],
  created: 1,
  retires: 3
})
const texts = ["aaaaaaaaaa", "a robot", "a".repeat(64), "pets:read pets:write"]
const row: KeyRow.KeyRow = [...texts, 1, null, 3, null, null]

describe("the row of a key", () => {
  it("has its values in the order of the schema, null for what is left out", () => {
    expect(KeyRow.valuesOf(key)).toEqual(row)
  })

  it("makes the key again, also from integers of 64 bits", () => {
    const wide = row.map((value) => (typeof value === "number" ? BigInt(value) : value))
    expect(KeyRow.keysOf([row, wide])).toStrictEqual({ keys: [key, key], invalid: [] })
  })

  it.each([
    ["id", 0, "ABC"],
    ["name", 1, ""],
    ["digest", 2, "abc"],
    ["scopes", 3, ""],
    ["scopes", 3, "pets:read "],
    ["scopes", 3, 'pets:read "fly'],
    ["expires", 5, 9223372036854775807n]
  ] as const)("is invalid if its %s is, and then only its id is read", (_, nth, value) => {
    const invalid = row.with(nth, value)
    expect(KeyRow.keysOf([invalid, row])).toEqual({ keys: [key], invalid: [invalid[0]] })
  })
})

describe("the warning about invalid rows", () => {
  it.effect("names each of them once for each store", () => {
    const logs: Array<unknown> = []
    const logger = Logger.make(({ logLevel, message }) => {
      logs.push([logLevel.label, message].flat().join(": "))
    })
    const [warn, warnOther] = [KeyRow.makeWarning(), KeyRow.makeWarning()]
    return Effect.gen(function* () {
      for (const invalid of [[], ["a", "b"], ["b", "a"], ["b", "c"]]) yield* warn(invalid)
      yield* warnOther(["a"])
      expect(logs).toEqual(["a, b", "c", "a"].map((ids) => `WARN: ignoring invalid keys: ${ids}`))
    }).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
  })
})
