import { describe, expect, it } from "@effect/vitest"
import { Pet } from "@petstore/domain/Pet"
import * as Json from "@petstore/http-contract/Json"
import * as JsonEncoder from "@petstore/http-contract/JsonEncoder"
import { Pets } from "@petstore/http-contract/PetStoreApi"
import { Arbitrary, Either, FastCheck, Schema } from "effect"

const decode = Schema.decodeUnknownSync(Pets)

describe("an encoder read off a schema", () => {
  it("writes what the schema reads back", () => {
    const encode = JsonEncoder.make(Pets)
    FastCheck.assert(
      FastCheck.property(Arbitrary.make(Schema.typeSchema(Pets)), (pets) => {
        expect(decode(Either.getOrThrow(Json.parse(encode(pets))))).toEqual(pets)
      })
    )
  })

  it("writes the fields in the order of the schema, and only those", () => {
    const encode = JsonEncoder.make(Pet)
    const fields = { extra: 1, status: "sold", categoryId: 2n, name: 'a"b\u2028', id: 9n }
    const pet = Schema.decodeUnknownSync(Schema.typeSchema(Pet))(fields, {
      onExcessProperty: "preserve"
    })
    expect(encode(pet)).toBe('{"id":9,"name":"a\\"b\u2028","categoryId":2,"status":"sold"}')
  })

  it("writes integers digit for digit", () => {
    const pet = Schema.decodeSync(Pet)({ id: 9007199254740993n, name: "a", categoryId: -1 })
    expect(JsonEncoder.make(Pet)(pet)).toBe('{"id":9007199254740993,"name":"a","categoryId":-1}')
  })

  it("writes scalars, and what is left out not at all", () => {
    const scalars = Schema.Struct({
      a: Schema.optionalWith(Schema.String, { exact: true }),
      b: Schema.Number,
      c: Schema.Boolean,
      d: Schema.Literal("x"),
      e: Schema.Array(Schema.BigIntFromSelf)
    })
    const text = '{"b":1.5,"c":false,"d":"x","e":[1,-2]}'
    expect(JsonEncoder.make(scalars)({ b: 1.5, c: false, d: "x", e: [1n, -2n] })).toBe(text)
  })

  it.each<Schema.Schema.AnyNoContext>([
    Schema.DateFromString,
    Schema.Union(Schema.Literal("a"), Schema.BigIntFromSelf),
    Schema.Tuple(Schema.String),
    Schema.Tuple([Schema.String], Schema.Number),
    Schema.Record({ key: Schema.String, value: Schema.String }),
    Schema.Struct({ at: Schema.Unknown })
  ])("refuses at once a schema that it cannot write: %s", (schema) => {
    expect(() => JsonEncoder.make(schema)).toThrow("no JSON encoder")
  })
})
