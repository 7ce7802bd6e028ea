import { describe, expect, it } from "@effect/vitest"
import { fields, ImportedPet, isSame, NewPet, Pet, petOf } from "@petstore/domain/Pet"
import { Arbitrary, Either, FastCheck, JSONSchema, ParseResult, Schema } from "effect"

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

  it("takes a name of up to a thousand characters, each of one or two units", () => {
    for (const character of ["x", "é", "🐾"]) {
      const name = character.repeat(1000)
      expect(issues({ name, categoryId: 1 })).toEqual([])
      for (const long of [`${name}x`, name + name, name + name + name]) {
        expect(issues({ name: long, categoryId: 1 })).toEqual([
          "name must have at most 1,000 characters"
        ])
      }
    }
  })

  it("has a pattern that matches exactly the names that it takes, with and without the flag u", () => {
    const schema: ReturnType<typeof JSON.parse> = JSONSchema.make(NewPet)
    const { pattern } = schema.$defs.NewPet.properties.name
    const units = FastCheck.constantFrom(..."\0\nZé🐈\ud800\udbff\udc00\udfff".split(""))
    FastCheck.assert(
      FastCheck.property(FastCheck.array(units, { maxLength: 5 }), (chosen) => {
        const name = chosen.join("")
        const isTaken = issues({ name, categoryId: 1 }).length === 0
        for (const flags of ["", "u"])
          expect([name, new RegExp(pattern, flags).test(name)]).toEqual([name, isTaken])
      })
    )
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

  it("has a name of at most a thousand characters", () => {
    const decode = Schema.decodeUnknownEither(ImportedPet)
    const isTaken = (length: number) =>
      Either.isRight(decode({ name: "x".repeat(length), categoryId: 1 }))
    expect([isTaken(1000), isTaken(1001)]).toEqual([true, false])
  })

  it("may bring every positive int64 as its id", () => {
    for (const id of [1, 1n, 2n ** 62n + 1n, 2n ** 63n - 1n]) expect(whyNot(id)).toEqual([])
    for (const id of [0, -1n, -(2n ** 63n)]) {
      expect(whyNot(id)).toEqual(["must be between 1 and 9223372036854775807"])
    }
  })
})

describe("a pet that is there already", () => {
  it("may have a longer name: it was added when there was no limit", () => {
    const name = "x".repeat(1001)
    expect(Schema.decodeUnknownSync(Pet)({ id: 1, name, categoryId: 1 }).name).toBe(name)
    expect(fields.find((field) => field.name === "name")?.isValid(name)).toBe(true)
  })
})

describe("the fields of a pet", () => {
  const anyPet = Arbitrary.make(Schema.typeSchema(Pet))

  it("are those of the schema, in its order", () => {
    expect(fields.map(({ name }) => name)).toEqual(Object.keys(NewPet.fields))
    expect(Object.keys(Pet.fields)).toEqual(["id", ...Object.keys(NewPet.fields)])
    const find = (name: string) => fields.find((field) => field.name === name)
    expect(find("name")).toMatchObject({ isOptional: false, isInteger: false })
    expect(find("categoryId")).toMatchObject({ isOptional: false, isInteger: true })
    expect(find("status")).toMatchObject({ isOptional: true, isInteger: false })
  })

  it("are copied, and nothing else", () => {
    FastCheck.assert(
      FastCheck.property(anyPet, ({ id, ...pet }) => {
        expect(petOf(id, { ...pet, ...{ colour: "brown" } })).toStrictEqual({ id, ...pet })
      })
    )
  })

  it("are all compared", () => {
    FastCheck.assert(
      FastCheck.property(anyPet, anyPet, (pet, other) => {
        expect(isSame(pet, pet)).toBe(true)
        for (const { name } of fields) {
          const changed: NewPet = Object.defineProperty({ ...pet }, name, { value: other[name] })
          expect(isSame(pet, changed)).toBe(pet[name] === other[name])
        }
      })
    )
  })
})
