import { describe, expect, it } from "@effect/vitest"
import { ApiKey, endOf, Instant, KeyDigest, KeyId, KeyName, stateAt } from "@petstore/access/ApiKey"
import { FastCheck as fc, Schema } from "effect"

const moment = fc.integer().map((millis) => Instant.make(millis))
const ends = fc.record({ expires: moment, retires: moment, revoked: moment }, { requiredKeys: [] })
const decodeEnds = Schema.decodeSync(ApiKey.pick("expires", "retires", "revoked"))

describe("the state of a key", () => {
  it.each([
    ["active", {}, 5],
    ["active", { expires: 6 }, 5],
    ["expired", { expires: 5 }, 5],
    ["expired", { expires: 4 }, 5],
    ["active", { retires: 6 }, 5],
    ["rotated", { retires: 5 }, 5],
    ["rotated", { retires: 4, expires: 6 }, 5],
    ["expired", { retires: 6, expires: 5 }, 5],
    ["revoked", { revoked: 5 }, 5],
    ["revoked", { revoked: 4, expires: 3, retires: 2 }, 5],
    ["expired", { expires: 0 }, 0],
    // A clock that was put back does not bring a revoked key to life.
    ["revoked", { revoked: 6 }, 5]
  ])("is %s with %j at %i", (state, key, now) => {
    expect(stateAt(decodeEnds(key), now)).toBe(state)
  })

  it.prop("is active until its end, and never again", [ends, moment], ([key, now]) => {
    expect(stateAt(key, now) === "active").toBe(now < endOf(key))
  })

  it("has no end unless something ends it", () => {
    expect(endOf({})).toBe(Number.POSITIVE_INFINITY)
    expect(endOf(decodeEnds({ expires: 7, retires: 5 }))).toBe(5)
    expect(endOf(decodeEnds({ expires: 7, revoked: 9 }))).toBe(Number.NEGATIVE_INFINITY)
  })
})

describe("a key's name", () => {
  const isName = Schema.is(KeyName)

  it.each(["x", "a b", "x".repeat(100), "🐈".repeat(50), "日本語", "é", "  padded ", "'; DROP"])(
    "may be %j",
    (name) => {
      expect(isName(name)).toBe(true)
    }
  )

  it.each([
    "",
    " ",
    "\u00a0\u2003",
    "x".repeat(101),
    `${"🐈".repeat(50)}x`,
    ...["two\nlines", "tab\t", "\0", "\u001b[31m", "\u200b", "\u202eright to left", "\ufeff"],
    ...["\ud800", "\ue000"]
  ])("may not be %j", (name) => {
    expect(isName(name)).toBe(false)
    expect(() => Schema.decodeSync(KeyName)(name)).toThrow("must be 1 to 100 visible characters")
  })
})

describe("the parts of a key", () => {
  it.each(["", "012345678", "01234567890", "012345678w", "012345678A", "0123456789\n"])(
    "do not take %j for an id",
    (id) => {
      expect(() => Schema.decodeSync(KeyId)(id)).toThrow(
        "must be ten digits or letters from a to v, as after pet_ in a key"
      )
    }
  )

  it("accept only a SHA-256 in hexadecimal as a digest", () => {
    expect(Schema.is(KeyDigest)("0123456789abcdef".repeat(4))).toBe(true)
    for (const text of [
      "my-secret-key",
      "a".repeat(63),
      "A".repeat(64),
      `${"a".repeat(64)}\n`,
      "0".repeat(65)
    ]) {
      expect(Schema.is(KeyDigest)(text)).toBe(false)
    }
  })

  it("are one scope or more, each a word", () => {
    const key = { id: "0123456789", name: "x", digest: "a".repeat(64), created: 0 }
    const isKey = Schema.is(ApiKey)
    expect(isKey({ ...key, scopes: ["pets:read"] })).toBe(true)
    expect(isKey({ ...key, scopes: [] })).toBe(false)
    for (const scope of ["", "pets read", '"pets"', "pets\\", "pëts"])
      expect(isKey({ ...key, scopes: ["pets:read", scope] })).toBe(false)
  })

  it.each(["expires", "retires", "revoked", "lastUsed"])(
    "are left out, or a moment that a date can have: %s",
    (field) => {
      const isPart = Schema.is(ApiKey.pick("expires", "retires", "revoked", "lastUsed"))
      for (const at of [0, 8.64e15, -8.64e15]) expect(isPart({ [field]: at })).toBe(true)
      for (const at of [undefined, null, 0.5, 8.64e15 + 1, -8.64e15 - 1])
        expect(isPart({ [field]: at })).toBe(false)
    }
  )
})
