import { describe, expect, it } from "@effect/vitest"
import * as Json from "@petstore/http-transport/Json"
import * as JsonEncoder from "@petstore/http-transport/JsonEncoder"
import { Int64 } from "@petstore/kernel/Int64"
import { Arbitrary, Either, FastCheck, Schema } from "effect"

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

  it.each([Schema.Number, Schema.BigInt, Schema.Date, Schema.NullOr(Schema.String)])(
    "is not made for what no contract has: %s",
    (schema) => {
      const make = () => JsonEncoder.make(Schema.Struct({ a: schema }))
      expect(make).toThrow("there is no encoder for")
    }
  )
})
