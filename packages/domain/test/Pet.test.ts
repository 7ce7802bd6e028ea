import { describe, expect, it } from "@effect/vitest"
import { ImportedPet, NewPet } from "@petstore/domain/Pet"
import { Either, FastCheck, ParseResult, Schema } from "effect"

const decode = Schema.decodeUnknownEither(NewPet, { errors: "all" })
const issues = (input: unknown) =>
  Either.match(decode(input), {
    onLeft: (error) =>
      ParseResult.ArrayFormatter.formatErrorSync(error).map(
        (one) => `${one.path.join(".")} ${one.message}`
      ),
    onRight: () => []
  })

describe("NewPet", () => {
  it("takes any name that is not empty, as it is", () => {
    const names = FastCheck.fullUnicodeString({ minLength: 1 }).filter(
      (name) => !name.includes("\0")
    )
    FastCheck.assert(
      FastCheck.property(names, (name) => {
        expect(decode({ name, categoryId: 1 })).toEqual(Either.right({ name, categoryId: 1n }))
      })
    )
  })

  it("refuses names that a store could not keep", () => {
    expect(issues({ name: "", categoryId: 1 })).toEqual(["name must not be empty"])
    for (const name of ["\0", "a\0b", "\ud800", "\udc00\ud800", "a\udfff"]) {
      expect(issues({ name, categoryId: 1 })).toEqual([
        "name must not contain U+0000 or lone surrogates"
      ])
    }
    expect(issues({ name: 7, categoryId: 1 })).toEqual(["name must be a string"])
  })

  it("leaves out a status that was left out, and takes no null for one", () => {
    expect(Either.getOrThrow(decode({ name: "a", categoryId: 1 }))).not.toHaveProperty("status")
    for (const status of [null, undefined, "Sold", "", 1]) {
      expect(issues({ name: "a", categoryId: 1, status })).toEqual([
        "status must be one of available, pending, sold"
      ])
    }
  })

  it("names everything that is wrong, and ignores what it does not know", () => {
    expect(issues({})).toEqual(["name is missing", "categoryId is missing"])
    expect(issues({ name: 1, categoryId: "1", status: "x" })).toHaveLength(3)
    expect(decode({ id: 5, name: "a", categoryId: 1, more: {} })).toEqual(
      Either.right({ name: "a", categoryId: 1n })
    )
  })
})

describe("ImportedPet", () => {
  const whyNot = (id: unknown) =>
    Either.match(Schema.decodeUnknownEither(ImportedPet)({ id, name: "a", categoryId: 1 }), {
      onLeft: (error) =>
        ParseResult.ArrayFormatter.formatErrorSync(error).map((one) => one.message),
      onRight: () => []
    })

  it("may bring every positive int64 as its id", () => {
    for (const id of [1, 1n, 2n ** 62n + 1n, 2n ** 63n - 1n]) expect(whyNot(id)).toEqual([])
    for (const id of [0, -1n, -(2n ** 63n)]) {
      expect(whyNot(id)).toEqual(["must be between 1 and 9223372036854775807"])
    }
  })
})
