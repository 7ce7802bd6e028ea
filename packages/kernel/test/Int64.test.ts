import { describe, expect, it } from "@effect/vitest"
import * as Int64 from "@petstore/kernel/Int64"
import { Either, FastCheck, JSONSchema, ParseResult, Schema } from "effect"

const decode = Schema.decodeUnknownEither(Int64.Int64)
const encode = Schema.encodeSync(Int64.Int64)
const why = (input: unknown) =>
  Either.match(decode(input), {
    onLeft: (error) => ParseResult.ArrayFormatter.formatErrorSync(error).map((one) => one.message),
    onRight: () => []
  })
const any64 = FastCheck.bigInt({ min: Int64.min, max: Int64.max })

describe("Int64", () => {
  it("comes back as it was, whatever its size", () => {
    FastCheck.assert(
      FastCheck.property(any64, (value) => {
        expect(decode(encode(value))).toEqual(Either.right(value))
        expect(Int64.fromText(String(value))).toBe(value)
      })
    )
  })

  it("is encoded as a number where a number is exact, as a bigint beyond", () => {
    expect(encode(9007199254740991n)).toBe(9007199254740991)
    expect(encode(-9007199254740991n)).toBe(-9007199254740991)
    expect(encode(9007199254740992n)).toBe(9007199254740992n)
    expect(encode(-9007199254740992n)).toBe(-9007199254740992n)
    expect(encode(Int64.min)).toBe(Int64.min)
  })

  it("rejects what 64 bits cannot hold, and numbers in range that are not exact", () => {
    const exact = ["must be given as a bigint: a number of this size is not exact"]
    for (const input of [9007199254740992, -9007199254740992, 2 ** 62, -(2 ** 63)]) {
      expect(why(input)).toEqual(exact)
    }
    expect(decode(Int64.max)).toEqual(Either.right(Int64.max))
    const range = ["must be between -9223372036854775808 and 9223372036854775807"]
    const beyond = [Int64.max + 1n, Int64.min - 1n, 2 ** 63, -(2 ** 63) - 2048, Infinity]
    for (const input of beyond) expect(why(input)).toEqual(range)
  })

  it("is not a fraction, text or null", () => {
    for (const input of [1.5, "1", null, undefined, true, {}, [], Number.NaN]) {
      expect(why(input)).toEqual(["must be an integer"])
    }
  })

  it("has one text only", () => {
    for (const text of ["", "-", "-0", "01", "+1", " 1", "1 ", "1.0", "1e1", "0x1", "٣", "1\n"]) {
      expect(Int64.fromText(text)).toBeUndefined()
    }
    expect(Int64.fromText("9223372036854775808")).toBeUndefined()
    expect(Int64.fromText("-9223372036854775809")).toBeUndefined()
    for (const value of [0n, Int64.min, Int64.max]) {
      expect(Int64.fromText(String(value))).toBe(value)
    }
  })

  it("is described to callers as an integer of 64 bits", () => {
    expect(JSONSchema.make(Int64.Int64)).toMatchObject({
      $defs: { Int64: { type: "integer", format: "int64" } }
    })
  })
})
