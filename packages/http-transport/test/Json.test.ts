import { describe, expect, it } from "@effect/vitest"
import * as Json from "@petstore/http-transport/Json"
import { Int64 } from "@petstore/kernel/Int64"
import { Either, FastCheck, Schema } from "effect"

const parse = (text: string) => Either.getOrThrow(Json.parse(text))
const messageOf = (text: string) =>
  Either.match(Json.parse(text), { onLeft: ({ message }) => message, onRight: () => "" })

/** A number that is exact, in a list whose other one is not: each is read by its digits. */
const amongLong = (text: string) => parse(`[1234567890123456789,${text}]`)

/** Any character: the unit "binary" is the same, but takes a second to prepare. */
const character = FastCheck.integer({ min: 0, max: 0x10f7ff }).map((code) =>
  String.fromCodePoint(code < 0xd800 ? code : code + 0x800)
)

describe("parse", () => {
  it("agrees with JSON.parse on every JSON text without a number that a double changes", () => {
    const value = FastCheck.jsonValue({ stringUnit: character })
    const indent = FastCheck.constantFrom(undefined, 1, "\t", "\r")
    FastCheck.assert(
      FastCheck.property(value, indent, (value, indent) => {
        // Smaller ones lose no digit, and larger ones are as near as a double comes.
        const plain: unknown = JSON.parse(JSON.stringify(value), (_, part) =>
          Math.abs(part) > 2 ** 53 && Math.abs(part) <= 1e19 ? 1 : part
        )
        const text = JSON.stringify(plain, null, indent)
        expect(parse(text)).toEqual(JSON.parse(text))
        expect(amongLong(text)).toEqual([1234567890123456789n, JSON.parse(text)])
      }),
      { numRuns: 500 }
    )
  })

  it("refuses what JSON.parse refuses, however a text is damaged, and does not quote it", () => {
    const insert = FastCheck.constantFrom(
      ...["", ",", '"', "{", "]", "\\", "\n", "e", "-", ".", "0", "\u0001", "x at position 7"]
    )
    FastCheck.assert(
      FastCheck.property(FastCheck.json(), FastCheck.nat(), insert, (text, place, insert) => {
        const at = place % (text.length + 1)
        const damaged = text.slice(0, at) + insert + text.slice(at + (insert === "" ? 1 : 0))
        const valid = Either.isRight(Either.try(() => JSON.parse(damaged)))
        expect(messageOf(damaged), damaged).toMatch(
          valid
            ? /^$/
            : /^(?:unexpected text at character [1-9]\d*|it ends too early|a value is missing or invalid)$/
        )
      }),
      { numRuns: 3000 }
    )
  })

  it("keeps every 64-bit integer exact, however it is written", () => {
    const integers = FastCheck.bigInt({ min: -9223372036854775808n, max: 9223372036854775807n })
    FastCheck.assert(
      FastCheck.property(integers, FastCheck.nat({ max: 25 }), (value, shift) => {
        const digits = String(value)
        const zeros = "0".repeat(shift)
        const decode = (text: string) => Schema.decodeUnknownEither(Int64)(parse(text))
        for (const text of [digits, `${digits}.${zeros}0`, `${digits}E+0`])
          expect(decode(text)).toEqual(Either.right(value))
        expect(decode(`${digits}${value === 0n ? "" : zeros}e-${shift}`)).toEqual(
          Either.right(value)
        )
        expect(Either.isLeft(decode(`${digits}.${zeros}1`))).toBe(true)
      })
    )
  })

  const tooLarge = 10n ** 19n
  it.each([
    ["1.0", 1],
    ["1e2", 100],
    ["-0", -0],
    ["0e25", 0],
    ["-0.0e5", -0],
    ["1.5e1", 15],
    ["0.00012e4", 1.2],
    ["1.5", 1.5],
    ["9007199254740991", 9007199254740991],
    ["-9007199254740992", -9007199254740992n],
    ["9007199254740993.0", 9007199254740993n],
    ["922337203685477580.7e1", 9223372036854775807n],
    ["-0.0009223372036854775808e22", -9223372036854775808n],
    ["-9999999999999999999", -9999999999999999999n],
    ["1e20", 1e20],
    ["100000000000000000000000000000", 1e29],
    ["1e400", tooLarge],
    ["-1e999999999999", -tooLarge],
    [`1${"0".repeat(500)}e-500`, 1],
    [`0.${"0".repeat(499)}9007199254740993e516`, 90071992547409930n]
  ])("reads the number %s", (text, value) => {
    expect(parse(text)).toBe(value)
    expect(amongLong(text)).toEqual([1234567890123456789n, value])
  })

  it.each([
    ...["1.0000000000000001", "0.99999999999999999999", "123456789.00000000000001"],
    ...["9007199254740993.5", "-9223372036854775807.5", "1e-400", "-1e-999999999999"]
  ])("gives no number for %s, whose fraction a double loses", (text) => {
    expect(parse(text)).toBeTypeOf("symbol")
    const decoded = Schema.decodeUnknownEither(Schema.Union(Int64, Schema.Number))(parse(text))
    expect(Either.isLeft(decoded)).toBe(true)
  })

  it.each(["9007199254740993", "1e400", "-1e400", "9".repeat(400)])(
    "lets a schema refuse %s where it declares a number",
    (text) => expect(Schema.decodeUnknownEither(Schema.Number)(parse(text))._tag).toBe("Left")
  )

  it("says where a text is wrong, or that more is missing, as far as the native parser does", () => {
    expect(messageOf('{"a" 1}')).toBe("unexpected text at character 6")
    expect(messageOf("{}x")).toBe("unexpected text at character 3")
    expect(Json.parse('{"name":"n",}')).toMatchObject({
      left: { _tag: "MalformedJson", message: "unexpected text at character 13" }
    })
    for (const text of ["", "[1,", '{"a":', "{", "[1", '["a', '"\\', "tru", "-", "1."])
      expect([text, messageOf(text)]).toEqual([text, "it ends too early"])
    for (const text of ["nulx", "[1,]", "NaN", "x end of JSON", "x at position 7"])
      expect([text, messageOf(text)]).toEqual([text, "a value is missing or invalid"])
  })

  it("takes any depth, or says that it is too deep for the digits of its numbers", () => {
    const nested = (value: string | number, depth = 60_000) =>
      "[".repeat(depth) + value + "]".repeat(depth)
    expect(messageOf(nested(""))).toBe("")
    expect(messageOf(nested("1234567890123456789"))).toBe("it is nested too deeply")
    expect(messageOf(nested("1234567890123456789", 500))).toBe("")
    expect(messageOf("[".repeat(60_000))).toBe("it ends too early")
  })

  it("takes time linear in the text", () => {
    const start = performance.now()
    for (const text of [
      ...[`[${"[],".repeat(300_000)}1234567890123456]`, "9".repeat(1_000_000)],
      ...[`0.${"0".repeat(1_000_000)}1`, `${"1".repeat(1_000_000)}e-1000000`]
    ])
      expect(messageOf(text)).toBe("")
    expect(performance.now() - start).toBeLessThan(10_000)
  })

  it("keeps a key named __proto__ a key", () => {
    for (const long of [1, "1e0", "1234567890123456789"]) {
      const value = parse(`{"__proto__":${long},"__proto__":{"name":${long}}}`)
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
      expect(Object.keys(Object(value))).toEqual(["__proto__"])
      const Named = Schema.Struct({ name: Schema.optional(Schema.Unknown) })
      expect(Schema.decodeUnknownSync(Named)(value)).toEqual({})
    }
  })
})
