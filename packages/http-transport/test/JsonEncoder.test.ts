import { describe, expect, it } from "@effect/vitest"
import * as Json from "@petstore/http-transport/Json"
import * as JsonEncoder from "@petstore/http-transport/JsonEncoder"
import { Int64 } from "@petstore/kernel/Int64"
import { Arbitrary, DateTime, Either, FastCheck, Option, Schema } from "effect"

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

  class Point extends Schema.Class<Point>("Point")({ x: Schema.Number, at: Schema.Date }) {}
  interface Tree {
    readonly size: bigint
    readonly parts: ReadonlyArray<Tree>
  }
  interface EncodedTree {
    readonly size: number | bigint
    readonly parts: ReadonlyArray<EncodedTree>
  }
  const Tree: Schema.Schema<Tree, EncodedTree> = Schema.Struct({
    size: Int64,
    parts: Schema.Array(Schema.suspend(() => Tree))
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
    written(Schema.Union(Schema.String, Int64), large, "9007199254740993"),
    written(
      Schema.Union(Schema.Struct({ a: Int64 }), Schema.Struct({ b: Int64 })),
      { b: large },
      `{"b":${large}}`
    ),
    written(Schema.Struct({ 'a"': Schema.Number }), { 'a"': 1 }, '{"a\\"":1}'),
    written(Schema.Tuple(Schema.String, Int64), ["a", large], `["a",${large}]`),
    written(Schema.Tuple([Schema.String], Schema.Number), ["a", 1, 2], '["a",1,2]'),
    written(Schema.Tuple([], Schema.Number, Schema.String), [1, 2, "a"], '[1,2,"a"]'),
    written(
      Schema.Record({ key: Schema.String, value: Int64 }),
      { 'a"': large },
      `{"a\\"":${large}}`
    ),
    written(
      Schema.Struct({ at: Schema.Unknown }),
      { at: [large, { b: undefined, c: day }] },
      `{"at":[${large},{"c":${JSON.stringify(day)}}]}`
    ),
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
    written(Schema.Array(Schema.UndefinedOr(Schema.String)), ["a", undefined], '["a",null]'),
    written(Schema.BigInt, large, '"9007199254740993"'),
    written(Schema.Option(Schema.String), Option.some("a"), '{"_tag":"Some","value":"a"}'),
    written(Point, new Point({ x: 1, at: day }), '{"x":1,"at":"2026-11-18T00:00:00.000Z"}'),
    written(
      Tree,
      { size: 1n, parts: [{ size: large, parts: [] }] },
      `{"size":1,"parts":[{"size":${large},"parts":[]}]}`
    )
  ])("writes what it has no compiled encoder for by Schema itself: %s", (_, run) => {
    const [written, text] = run()
    expect(written).toBe(text)
  })

  it("throws if a value is not of the schema", () => {
    expect(() => JsonEncoder.make(Schema.Date)(new Date("never"))).toThrow("Expected")
    const any = JsonEncoder.make(Schema.Unknown)
    expect(() => any({ a: [Number.NaN] })).toThrow("NaN is not a number of JSON")
    for (const infinite of [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
      expect(() => JsonEncoder.make(Schema.Number)(infinite)).toThrow("is not a number of JSON")
  })
})
