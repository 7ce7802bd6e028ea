import { describe, expect, it } from "@effect/vitest"
import * as ContractJson from "@petstore/http-api/Json"
import { type Pet, parse as parseExact, stringify } from "@petstore/http-client"
import { Either, FastCheck, Schema } from "effect"
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

const write = (value: unknown): string => {
  if (typeof value === "bigint") return ` ${value} `
  if (Array.isArray(value)) return `[${value.map(write)}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  return `{${Object.entries(value).map(([key, item]) => `${JSON.stringify(key)} :${write(item)}`)}}`
}

/** Integers as a `bigint`, whichever type they have. */
const exact = (value: unknown): unknown => {
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value)
  if (Array.isArray(value)) return value.map(exact)
  if (typeof value !== "object" || value === null) return value
  return Object.entries(value).map(([key, item]) => [key, exact(item)])
}

const outcome = (run: () => unknown): unknown => {
  try {
    return exact(run())
  } catch {
    return "malformed"
  }
}

/** Any JSON, whose integers are exact. */
type Exact =
  | bigint
  | string
  | boolean
  | null
  | ReadonlyArray<Exact>
  | { readonly [key: string]: Exact }
const Exact: Schema.Schema<Exact> = Schema.Union(
  ...[Schema.BigIntFromSelf, Schema.String, Schema.Boolean, Schema.Null],
  Schema.Array(Schema.suspend(() => Exact)),
  Schema.Record({ key: Schema.String, value: Schema.suspend(() => Exact) })
)
const parse = ContractJson.parser(Exact)

describe("parse", () => {
  it("reads any JSON as the service's own parser does", () => {
    FastCheck.assert(
      FastCheck.property(value, (value) => {
        // A long number, so that no text is left to the native parser alone.
        const text = `[1234567890123456789,${write(value)}]`
        expect(exact(parseAnswer(text))).toEqual(exact(Either.getOrThrow(parse(text))))
      }),
      { numRuns: 500 }
    )
  })

  it("refuses what JSON refuses, however it is damaged", () => {
    FastCheck.assert(
      FastCheck.property(value, FastCheck.nat(), text, (value, at, noise) => {
        const whole = `[1234567890123456789,${write(value)}]`
        const place = at % (whole.length + 1)
        const damaged = whole.slice(0, place) + noise + whole.slice(place + 1)
        expect(outcome(() => parseAnswer(damaged)) === "malformed").toBe(
          outcome(() => JSON.parse(damaged)) === "malformed"
        )
      }),
      { numRuns: 500 }
    )
    for (const text of [
      ...[
        "{1234567890123456:1}",
        "[01234567890123456]",
        '["1234567890123456]',
        "1234567890123456 1"
      ],
      ...["[--1234567890123456]", "[1234567890123456-1]", '{"a":1234567890123456"b"}']
    ]) {
      expect(() => parseAnswer(text)).toThrow(SyntaxError)
    }
  })

  it("takes time linear in the text", () => {
    const start = performance.now()
    expect(() => parseAnswer(`1234567890123456"${'\\"'.repeat(100_000)}`)).toThrow(SyntaxError)
    expect(performance.now() - start).toBeLessThan(3000)
  })
})

describe("stringify and parse", () => {
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
    expect(parseExact<ReadonlyArray<Pet>>(text)).toStrictEqual(pets)
    for (const pet of pets) expect(parseExact<Pet>(stringify(pet))).toStrictEqual(pet)
  })

  it("are exact for small integers as for large ones", () => {
    expect(parseExact("[0,-1,1.5,9223372036854775807]")).toEqual([0n, -1n, 1.5, 2n ** 63n - 1n])
    // One digit more than 64 bits have.
    expect(parseExact("12345678901234567890")).toBe(1.2345678901234567e19)
    expect(() => parseExact("{")).toThrow(SyntaxError)
  })

  it("write what JSON.stringify writes, of values without a bigint", () => {
    const whole = FastCheck.tuple(
      value,
      FastCheck.constantFrom(undefined, new Date(0), () => 0, "a")
    )
    FastCheck.assert(
      FastCheck.property(whole, ([value, other]) => {
        const plain = JSON.parse(
          JSON.stringify(value, (_, part) => (typeof part === "bigint" ? 0 : part))
        )
        const given = { plain, other, list: [other, plain], nothing: null }
        expect(stringify(given)).toBe(JSON.stringify(given))
      }),
      { numRuns: 300 }
    )
  })

  it("write null for what JSON has no text for", () => {
    expect([undefined, () => 0].map(stringify)).toEqual(["null", "null"])
  })
})
