import { describe, expect, it } from "@effect/vitest"
import * as Issues from "@petstore/http-api/Issues"
import * as Json from "@petstore/http-api/Json"
import { Int64 } from "@petstore/kernel/Int64"
import { Either, FastCheck, Schema } from "effect"
import { placeOf } from "../src/internal/ExactIntegers.ts"

/** Any JSON, whose integers are a `bigint`. */
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
const parseExact = Json.parser(Exact)
const parse = (text: string) => Either.getOrThrow(parseExact(text))
const isMalformed = (text: string) => Either.isLeft(parseExact(text))

/** What JSON.parse gives, with the numbers that are whole as this parser gives them. */
const exact = (value: unknown): unknown => {
  if (typeof value === "number") {
    // By its digits: beyond 2^53 they are not those of the nearest double.
    return Number.isInteger(value) && Math.abs(value) < 1e19 ? BigInt(String(value)) : value
  }
  if (Array.isArray(value)) return value.map(exact)
  if (value === null || typeof value !== "object") return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, exact(item)]))
}

/** Any character: the unit "binary" is the same, but takes a second to prepare. */
const character = FastCheck.integer({ min: 0, max: 0x10f7ff }).map((code) =>
  String.fromCodePoint(code < 0xd800 ? code : code + 0x800)
)

describe("parse", () => {
  it("agrees with JSON.parse on every JSON text", () => {
    const small = FastCheck.jsonValue({ stringUnit: character })
    FastCheck.assert(
      FastCheck.property(
        small,
        FastCheck.constantFrom(undefined, 1, "\t", "\r"),
        (value, indent) => {
          const text = JSON.stringify(value, null, indent)
          // Numbers whose doubles are whole but whose digits say otherwise are not compared here.
          FastCheck.pre(!/\d(?:e|\.\d*e)/.test(text))
          expect(parse(text)).toEqual(exact(JSON.parse(text)))
        }
      ),
      { numRuns: 500 }
    )
  })

  it("refuses what JSON.parse refuses, however a text is damaged", () => {
    const texts = FastCheck.tuple(
      FastCheck.json(),
      FastCheck.nat(),
      FastCheck.constantFrom("", ",", '"', "{", "]", "\\", "\n", "e", "-", ".", "0", "\u0001", "x")
    )
    FastCheck.assert(
      FastCheck.property(texts, ([text, place, insert]) => {
        const at = place % (text.length + 1)
        const damaged = text.slice(0, at) + insert + text.slice(at + (insert === "" ? 1 : 0))
        const valid = Either.isRight(Either.try(() => JSON.parse(damaged)))
        expect(!isMalformed(damaged), damaged).toBe(valid)
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
        expect(parse(digits)).toBe(value)
        expect(parse(`${digits}.${zeros}0`)).toBe(value)
        if (value !== 0n) expect(parse(`${digits}${zeros}e-${shift}`)).toBe(value)
        expect(parse(`${digits}E+0`)).toBe(value)
        expect(typeof parse(`${digits}.${zeros}1`)).toBe("number")
      })
    )
  })

  it.each([
    ["1.0", 1n],
    ["1e2", 100n],
    ["-0", 0n],
    ["0e25", 0n],
    ["-0.0e5", 0n],
    ["1.5e1", 15n],
    ["0.00012e4", 1.2],
    ["1.5", 1.5],
    ["1e19", 1e19],
    ["10000000000000000000", 1e19],
    ["-9999999999999999999", -9999999999999999999n],
    ["1e400", Number.POSITIVE_INFINITY],
    ["-1e999999999999", Number.NEGATIVE_INFINITY],
    ["1e-999999999999", Number.NaN],
    ["1.0000000000000000000001", Number.NaN],
    ["9007199254740993.5", Number.NaN],
    ["9223372036854775808", 9223372036854775808n],
    ["100000000000000000000000000000", 1e29]
  ])("reads the number %s", (text, value) => {
    expect(parse(text)).toBe(value)
  })

  it.each(["01", "+1", ".5", "1.", "1e", "--1", "0x1", "NaN", "Infinity", "1_000", "١"])(
    "does not take %s for a number",
    (text) => expect(isMalformed(text)).toBe(true)
  )

  it("says what it expected and where", () => {
    const message = (text: string) =>
      Either.match(parseExact(text), { onLeft: (error) => error.message, onRight: () => "" })
    expect(message('{"a" 1}')).toBe("expected ':' at character 6")
    expect(message("{a")).toBe("expected a string at character 2")
    expect(message('["a')).toBe("expected a closing quote where it ends")
    expect(message("[1 2]")).toBe("expected ',' or ']' at character 4")
    expect(message('{"a":')).toBe("expected a value where it ends")
    expect(message("{}x")).toBe("expected the end at character 3")
    expect(message('"\\x"')).toBe("a string has an unknown escape")
    expect(message("[".repeat(100_000))).toBe("nested over 100 levels deep")
    expect(message('{"a":'.repeat(101) + 1 + "}".repeat(101))).toBe("nested over 100 levels deep")
    expect(message('{"a":'.repeat(100) + 1 + "}".repeat(100))).toBe("")
  })

  it.each(["[]", "1", '"x"', "{}", "null", '{"a":[0]}'])(
    "refuses a text with more values than one of 64 KiB can have, such as %s",
    (item) => {
      const text = `{"name":"a","x":[${`${item},`.repeat(100_000)}0]}`
      const tooMany = { left: { _tag: "MalformedJson", message: "over 32768 values" } }
      expect(parseExact(text)).toMatchObject(tooMany)
      expect(Json.parser(Schema.Unknown)(text)).toMatchObject(tooMany)
    }
  )

  it("takes any text of 64 KiB that is not nested too deeply, and longer ones of few values", () => {
    const most = `[${"1,".repeat(32_766)}1]`
    expect(most).toHaveLength(65_535)
    expect(parse(most)).toHaveLength(32_767)
    expect(isMalformed(`[${"1,".repeat(32_767)}1]`)).toBe(true)
    expect(Either.isLeft(Json.parser(Schema.Unknown)(`[${"1,".repeat(32_768)}1]`))).toBe(true)
    expect(parse(`["${"x".repeat(1_000_000)}"]`)).toEqual(["x".repeat(1_000_000)])
  })

  it("keeps a key named __proto__ a key", () => {
    const value = parse('{"__proto__":1,"__proto__":{"name":2}}')
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(Object.keys(value as object)).toEqual(["__proto__"])
  })
})

describe("the parser of a schema", () => {
  const Item = Schema.Struct({
    name: Schema.String.annotations({ message: () => "must be a string" }),
    size: Int64,
    side: Schema.optionalWith(
      Schema.Literal("left", "right").annotations({
        message: () => ({ message: "must be a side", override: true })
      }),
      { exact: true }
    )
  })
  const parseItem = Json.parser(Item)
  const decode = (result: ReturnType<typeof parseExact>) =>
    Either.flatMap(result, (value) =>
      Either.mapLeft(Schema.decodeUnknownEither(Item, { errors: "all" })(value), (error) =>
        Issues.describe(error, "it")
      )
    )
  const expectSame = (text: string): void => {
    expect(decode(parseItem(text)), text).toEqual(decode(parseExact(text)))
  }

  it("gives the same item, or the same error, as if all integers were exact", () => {
    const number = FastCheck.constantFrom(
      ..."0 -0 1 -1 999999999999999 9007199254740993 9223372036854775808 1.0 1.5 1e2 1E400".split(
        " "
      ),
      ..."0.99999999999999999999 1e-400 -0.0 123456789.00000 0.000000000000001".split(" ")
    )
    const value = FastCheck.oneof(
      number,
      FastCheck.json({ maxDepth: 2 }),
      FastCheck.constantFrom('"left"', '"a 1.5"', '"\\ud800"', "null", "[", "")
    )
    const key = FastCheck.constantFrom("name", "size", "side", "__proto__", "x")
    const text = FastCheck.array(FastCheck.tuple(key, value), { maxLength: 5 }).map(
      (fields) => `{${fields.map(([key, value]) => `"${key}": ${value}`).join(", ")}}`
    )
    FastCheck.assert(FastCheck.property(text, expectSame), { numRuns: 1000 })
  })

  it.each(["1234567890.00000001", "-12345678901234.0000001", "1.0000000000000001"])(
    "refuses %s, whose fraction a double loses",
    (number) => expectSame(`{"name": "a", "size": ${number}}`)
  )

  it("refuses what is nested too deeply", () => {
    for (const depth of [1, 99, 100, 101, 102, 200]) {
      const nested = "[".repeat(depth) + "]".repeat(depth)
      const long = `["${"x".repeat(300)}",${nested}]`
      for (const text of [nested, `{"x":${nested}}`, "[".repeat(depth), long]) expectSame(text)
      expect(Either.isLeft(parseItem(nested))).toBe(depth > 101)
      expect(Either.isLeft(parseItem(long))).toBe(depth > 100)
    }
  })

  const texts = ["", "2026-11-12T10:20:30.5Z", "8e03978e-40d5-43e8-bc93-6894a57f9324", "a.b@1.eu"]
  const Mixed = Schema.Struct({
    count: Schema.Int,
    price: Schema.Number,
    maybe: Schema.NullOr(Int64),
    list: Schema.Array(Schema.Union(Schema.Struct({ a: Int64 }), Schema.Struct({ b: Schema.Int }))),
    pair: Schema.Tuple(Schema.Number, Int64),
    map: Schema.Record({ key: Schema.String, value: Int64 }),
    more: Schema.optional(Schema.Unknown)
  })
  const rest = '"more":[1,9007199254740993,-0,1.0],"text":'

  it.each(texts)(
    "gives each number as it is declared, whatever else is in the text: %j",
    (text) => {
      const parseMixed = Json.parser(Mixed)
      const numbers = (int: string, integer: string) =>
        `{"count":${int},"price":${int}.5,"maybe":${integer},"list":[{"a":${integer}},{"b":${int}}],` +
        `"pair":[${int},${integer}],"map":{"x":${integer}},${rest}"${text}"}`
      const decoded = (json: string) =>
        Schema.decodeUnknownSync(Mixed)(Either.getOrThrow(parseMixed(json)))
      const more = [1, 9007199254740992, -0, 1]
      for (const [int, integer] of [
        ["2", "3"],
        ["2", "9007199254740993"],
        ["-7", "-9223372036854775808"]
      ] as const)
        expect(decoded(numbers(int, integer))).toEqual({
          ...{ count: Number(int), price: Number(`${int}.5`), maybe: BigInt(integer), more },
          list: [{ a: BigInt(integer) }, { b: Number(int) }],
          pair: [Number(int), BigInt(integer)],
          map: { x: BigInt(integer) }
        })
    }
  )

  it("gives a number where one is allowed beside an exact integer, if it has that exactly", () => {
    const One = Schema.Struct({ kind: Schema.Literal("one"), size: Schema.Int })
    const Other = Schema.Struct({ kind: Schema.Literal("other"), size: Int64 })
    const Any = Schema.Union(One, Other)
    const sizesOf = (kind: string, size: string) =>
      texts.map((text) => {
        const json = `{"kind":"${kind}","size":${size},"text":"${text}"}`
        return Schema.decodeUnknownSync(Any)(Either.getOrThrow(Json.parser(Any)(json))).size
      })
    for (const size of ["2", "2.0", "20e-1"])
      expect(new Set(sizesOf("one", size))).toEqual(new Set([2]))
    expect(new Set(sizesOf("other", "2"))).toEqual(new Set([2n]))
    expect(new Set(sizesOf("other", "9007199254740993"))).toEqual(new Set([9007199254740993n]))
  })

  it("gives what JSON.parse gives where no exact integer is declared", () => {
    const parseAny = Json.parser(Schema.Struct({ a: Schema.Number, b: Schema.Date }))
    for (const text of ['{"a":9007199254740993.5,"z":1e400}', "[-0,1e-400,12345678901234567890]"])
      expect(parseAny(text)).toEqual(Either.right(JSON.parse(text)))
    const long = `{"a":1,"b":"${"x".repeat(100_000)}"}`
    expect(parseAny(long)).toEqual(Either.right(JSON.parse(long)))
  })

  it.each(["1e400", `1${"0".repeat(309)}`])("refuses %s where a number is declared", (number) => {
    const One = Schema.Struct({ a: Schema.Number })
    const parsed = Either.getOrThrow(Json.parser(One)(`{"a":${number}}`))
    expect(Either.isLeft(Schema.decodeUnknownEither(One)(parsed))).toBe(true)
  })

  it("gives a bigint where no number is allowed, whatever is beside it", () => {
    const Both = Schema.Struct({ a: Int64, b: Schema.BigIntFromSelf })
    expect(Json.parser(Both)('{"a":1,"b":2}')).toEqual(Either.right({ a: 1, b: 2n }))
    const others = { key: Schema.String, value: Schema.Number }
    const Open = Schema.Struct({ a: Schema.BigIntFromSelf }, others)
    expect(Json.parser(Open)('{"a":1,"b":2}')).toEqual(Either.right({ a: 1n, b: 2 }))
  })

  it("knows as many places as are declared, however many fields and items texts have", () => {
    const [number, integer] = [Schema.Number, Int64]
    const fields = Schema.Union(
      Schema.Record({ key: Schema.String, value: number }),
      Schema.Record({ key: Schema.String, value: integer })
    )
    const { fieldOf } = placeOf(fields.ast)
    expect(fieldOf("a")).toBe(fieldOf("b"))
    const { itemOf } = placeOf(Schema.Union(Schema.Array(number), Schema.Array(integer)).ast)
    expect(itemOf(0)).toBe(itemOf(1))
  })

  it("finds exact integers in schemas that contain themselves", () => {
    interface Tree {
      readonly size: bigint
      readonly left?: Tree
      readonly right?: Tree
    }
    interface Encoded {
      readonly size: number | bigint
      readonly left?: Encoded
      readonly right?: Encoded
    }
    const Tree: Schema.Schema<Tree, Encoded> = Schema.Struct({
      size: Int64,
      left: Schema.optionalWith(
        Schema.suspend(() => Tree),
        { exact: true }
      ),
      right: Schema.optionalWith(
        Schema.suspend(() => Tree),
        { exact: true }
      )
    })
    const text = '{"left":{"right":{"size":9007199254740993}}}'
    expect(Json.parser(Tree)(text)).toEqual(
      Either.right({ left: { right: { size: 9007199254740993n } } })
    )
  })
})
