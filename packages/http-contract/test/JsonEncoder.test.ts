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

  it("refuses at once a schema that it cannot write", () => {
    expect(() => JsonEncoder.make(Schema.DateFromString)).toThrow("no JSON encoder")
    expect(() => JsonEncoder.make(Schema.Struct({ at: Schema.Unknown }))).toThrow("no JSON encoder")
  })
})
