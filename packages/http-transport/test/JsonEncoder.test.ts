import { describe, expect, it } from "@effect/vitest"
import * as Json from "@petstore/http-transport/Json"
import * as JsonEncoder from "@petstore/http-transport/JsonEncoder"
import { Int64 } from "@petstore/kernel/Int64"
import { Arbitrary, DateTime, Either, FastCheck, Schema } from "effect"

const Item = Schema.Struct({
  id: Int64,
  name: Schema.String,
  side: Schema.optionalWith(Schema.Literal("left", "right"), { exact: true }),
  inner: Schema.Struct({ tags: Schema.Array(Schema.String), flag: Schema.Boolean })
})
const Items = Schema.Array(Item)
const inner = { tags: ["a"], flag: true }

describe("an encoder read off a schema", () => {
  it("writes what the schema reads back", () => {
    const encode = JsonEncoder.make(Items)
    const decode = Schema.decodeUnknownSync(Items)
    FastCheck.assert(
      FastCheck.property(Arbitrary.make(Schema.typeSchema(Items)), (items) => {
        expect(decode(Either.getOrThrow(Json.parse(encode(items))))).toEqual(items)
      })
    )
  })

  it("writes the fields in the order of the schema, and only those; integers digit for digit", () => {
    const fields = {
      extra: 1,
      inner,
      side: "left",
      name: 'a"b\u2028',
      id: 9007199254740993n
    } as const
    expect(JsonEncoder.make(Item)(fields)).toBe(
      '{"id":9007199254740993,"name":"a\\"b\u2028","side":"left","inner":{"tags":["a"],"flag":true}}'
    )
    expect(JsonEncoder.make(Item)({ id: -1n, name: "a", inner })).toBe(
      '{"id":-1,"name":"a","inner":{"tags":["a"],"flag":true}}'
    )
  })

  it("writes scalars", () => {
    const scalars = Schema.Struct({
      b: Schema.Number,
      d: Schema.Literal("x"),
      e: Schema.Array(Schema.BigIntFromSelf)
    })
    expect(JsonEncoder.make(scalars)({ b: 1.5, d: "x", e: [1n, -2n] })).toBe(
      '{"b":1.5,"d":"x","e":[1,-2]}'
    )
  })

  const large = 9007199254740993n
  const day = new Date("2026-11-18")
  const written = <A, I>(schema: Schema.Schema<A, I>, value: A, text: string) =>
    [String(schema.ast), () => [JsonEncoder.make(schema)(value), text]] as const

  it.each([
    written(Schema.Date, day, '"2026-11-18T00:00:00.000Z"'),
    written(Schema.DateTimeUtc, DateTime.unsafeMake(day), '"2026-11-18T00:00:00.000Z"'),
    written(Schema.NullOr(Int64), large, "9007199254740993"),
    written(Schema.NullOr(Int64), null, "null"),
    written(Schema.NullOr(Schema.String), "a", '"a"'),
    written(Schema.Struct({ a: Schema.NullOr(Schema.String) }), { a: null }, '{"a":null}'),
    written(Schema.Struct({ 'a"': Schema.Number }), { 'a"': 1 }, '{"a\\"":1}'),
    written(
      Schema.Struct({ a: Schema.optional(Int64), b: Schema.optional(Schema.Date) }),
      { a: large, b: undefined },
      `{"a":${large}}`
    ),
    written(
      Schema.Struct({ a: Schema.optionalWith(Schema.Number, { default: () => 0 }) }),
      { a: 1 },
      '{"a":1}'
    ),
    written(Schema.BigInt, large, '"9007199254740993"')
  ])("writes what it has no compiled encoder for by Schema itself: %s", (_, run) => {
    const [written, text] = run()
    expect(written).toBe(text)
  })

  it("throws if a value is not of the schema", () => {
    expect(() => JsonEncoder.make(Schema.Date)(new Date("never"))).toThrow("Expected")
    for (const none of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
      expect(() => JsonEncoder.make(Schema.Number)(none)).toThrow("is not a number of JSON")
  })
})
