import { afterEach, describe, expect, it, vi } from "@effect/vitest"
import { type Pet, parse, stringify } from "@petstore/http-client"
import * as ContractJson from "@petstore/http-transport/Json"
import { Either, FastCheck } from "effect"
import { parseAnswer } from "../src/internal/Exchange.ts"

/** Any character: the unit "binary" is the same, but takes a second to prepare. */
const character = FastCheck.integer({ min: 0, max: 0x10f7ff }).map((code) =>
  String.fromCodePoint(code < 0xd800 ? code : code + 0x800)
)

const integer = FastCheck.bigInt(-(2n ** 63n), 2n ** 63n - 1n)
const text = FastCheck.oneof(
  FastCheck.string({ unit: character }),
  FastCheck.stringMatching(/^[0-9"\\:,{}[\]ns-]{0,30}$/)
)
const { value } = FastCheck.letrec<{ value: unknown }>((tie) => ({
  value: FastCheck.oneof(
    { depthSize: "small" },
    ...[integer, text, FastCheck.double({ noNaN: true, noDefaultInfinity: true })],
    FastCheck.constantFrom(true, false, null),
    FastCheck.array(tie("value"), { maxLength: 4 }),
    FastCheck.dictionary(text, tie("value"), { maxKeys: 4 })
  )
}))

/** Integers as a `bigint`, whichever type they have. */
const exact = (value: unknown): unknown => {
  // By its digits: beyond 2^53 they are not those of the double.
  if (Number.isInteger(value) && Math.abs(Number(value)) <= 1e19) return BigInt(String(value))
  if (Array.isArray(value)) return value.map(exact)
  if (typeof value !== "object" || value === null) return value
  return Object.entries(value).map(([key, item]) => [key, exact(item)])
}

describe("an answer", () => {
  it("is read as the service reads a request", () => {
    FastCheck.assert(
      FastCheck.property(value, (value) => {
        // A long number, so that no text is left to the native parser alone.
        const text = stringify([1234567890123456789n, value])
        const answer = exact(parseAnswer(text))
        expect(answer).toEqual(exact(Either.getOrThrow(ContractJson.parse(text))))
        expect(answer).toEqual(exact([1234567890123456789n, value]))
      }),
      { numRuns: 500 }
    )
  })

  it("has a bigint only where a number would not be exact", () => {
    expect(parseAnswer('[1,"9007199254740993",9007199254740991,9007199254740992]')).toEqual([
      ...[1, "9007199254740993", 9007199254740991, 9007199254740992n]
    ])
    expect(parseAnswer("")).toBe("")
    for (const text of ["{1234567890123456:1}", "[01234567890123456]", '["1234567890123456]'])
      expect(() => parseAnswer(text)).toThrow(SyntaxError)
  })
})

describe("stringify and parse", () => {
  afterEach(() => void vi.restoreAllMocks())

  const pets: ReadonlyArray<Pet> = [
    { id: 1n, name: 'Rex "the" \\ dog', categoryId: -9223372036854775808n, status: "sold" },
    { id: 9007199254740993n, name: "1234567890123456", categoryId: 9223372036854775807n }
  ]

  it("keep pets as they are, with exact integers", () => {
    const text = stringify(pets)
    expect(text).toBe(
      '[{"id":1,"name":"Rex \\"the\\" \\\\ dog","categoryId":-9223372036854775808,"status":"sold"},' +
        '{"id":9007199254740993,"name":"1234567890123456","categoryId":9223372036854775807}]'
    )
    expect(parse<ReadonlyArray<Pet>>(text)).toStrictEqual(pets)
  })

  it("are exact for small integers as for large ones", () => {
    expect(parse("[0,-1,1.5,9223372036854775807]")).toEqual([0n, -1n, 1.5, 2n ** 63n - 1n])
    // One digit more than 64 bits have.
    expect(parse("12345678901234567890")).toBe(1.2345678901234567e19)
    expect(() => parse("{")).toThrow(SyntaxError)
  })

  it("write what JSON.stringify writes, of values without a bigint", () => {
    const other = FastCheck.constantFrom(undefined, new Date(0), () => 0, "a", Number.NaN)
    FastCheck.assert(
      FastCheck.property(FastCheck.jsonValue(), other, (plain, other) => {
        const given = { plain, other, list: [other, plain], nothing: null }
        expect(stringify(given)).toBe(JSON.stringify(given))
      })
    )
  })

  it("write null for what JSON has no text for", () => {
    expect([undefined, () => 0].map(stringify)).toEqual(["null", "null"])
  })

  it("do not round where JSON.parse does not give the digits of numbers", () => {
    const native = JSON.parse
    vi.spyOn(JSON, "parse").mockImplementation((text, reviver) =>
      native(text, reviver && ((key, value) => reviver(key, value)))
    )
    expect(() => parse("1")).toThrow(TypeError)
    expect(() => parseAnswer("9007199254740993")).toThrow(TypeError)
    expect(parseAnswer("1")).toBe(1)
  })
})
