import { describe, expect, it } from "@effect/vitest"
import * as Cursor from "@petstore/http-transport/Cursor"
import * as Int64 from "@petstore/kernel/Int64"
import { Either, FastCheck, JSONSchema, Schema } from "effect"

const ofInteger = Cursor.of(Int64.Int64)
const ofText = Cursor.of(Schema.NonEmptyString)
const decode = Schema.decodeEither(ofInteger)
const ids = FastCheck.bigInt({ min: Int64.min, max: Int64.max })

describe("Cursor", () => {
  it("comes back as it was, and fits into a URL as it is", () => {
    FastCheck.assert(
      FastCheck.property(ids, (id) => {
        const text = Cursor.encode(id)
        expect(text).toMatch(/^[0-9a-f]{9,24}$/)
        expect(decode(text)).toEqual(Either.right(id))
      })
    )
  })

  it("stays valid from one release to the next", () => {
    expect(Cursor.encode(20n)).toBe("1423838aa7")
    expect(Cursor.encode(-9007199254740993n)).toBe("ffdfffffffffffffc701f0d9")
    expect(Schema.encodeSync(ofInteger)(20n)).toBe("1423838aa7")
  })

  it("is refused when any one character is another", () => {
    const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"]
    for (const id of [0n, 1n, 20n, 9007199254740993n]) {
      const text = Cursor.encode(id)
      for (let at = 0; at < text.length; at++) {
        for (const letter of letters.filter((one) => one !== text[at])) {
          expect(Either.isLeft(decode(text.slice(0, at) + letter + text.slice(at + 1)))).toBe(true)
        }
      }
    }
  })

  it("is refused when it is cut, padded or made up", () => {
    const text = Cursor.encode(5n)
    for (const wrong of ["", "x", text.slice(1), `${text}=`, `${text}A`, `${text} `, "5", "null"]) {
      expect(() => Schema.decodeSync(ofInteger)(wrong)).toThrow(
        /^must be a cursor taken from a Link header$/
      )
    }
  })

  it("is of any text, too, and of no other id", () => {
    const decodeText = Schema.decodeEither(ofText)
    FastCheck.assert(
      FastCheck.property(FastCheck.string({ minLength: 1, unit: "grapheme" }), (id) => {
        const text = Schema.encodeSync(ofText)(id)
        expect(encodeURIComponent(text)).toBe(text)
        expect(decodeText(text)).toEqual(Either.right(id))
        expect(Either.isLeft(decode(text))).toBe(true)
      })
    )
    const text = Cursor.encode("8e03978e-40d5-43e8-bc93-6894a57f9324")
    expect(text).toBe("tOGUwMzk3OGUtNDBkNS00M2U4LWJjOTMtNjg5NGE1N2Y5MzI0cc5154a2")
    for (let at = 0; at < text.length; at++)
      for (const letter of "tAb0-")
        if (letter !== text[at])
          expect(Either.isLeft(decodeText(text.slice(0, at) + letter + text.slice(at + 1)))).toBe(
            true
          )
    for (const wrong of [Cursor.encode(5n), Cursor.encode(""), "t", "", `${text}A`])
      expect(Either.isLeft(decodeText(wrong)), wrong).toBe(true)
  })

  it("has an id as its schema encodes it", () => {
    const Named = Schema.transform(Schema.String, Schema.String, {
      strict: true,
      decode: (text) => `id-${text}`,
      encode: (id) => id.replace("id-", "")
    })
    const cursor = Schema.encodeSync(Cursor.of(Named))("id-7")
    expect(cursor).toBe(Cursor.encode("7"))
    expect(Schema.decodeSync(Cursor.of(Named))(cursor)).toBe("id-7")
  })

  it("has an example in the form of its ids, or one that is given", () => {
    const short = Schema.String.pipe(Schema.maxLength(1))
    expect(Cursor.exampleOf(Int64.Int64)).toBe(Cursor.encode(20n))
    expect(Cursor.exampleOf(Schema.NonEmptyString)).toBe(Cursor.encode("20"))
    const uuid = Cursor.exampleOf(Schema.UUID) ?? ""
    expect(Schema.decodeSync(Cursor.of(Schema.UUID))(uuid)).toMatch(/^[0-9a-f-]{36}$/)
    expect(Cursor.exampleOf(short)).toBe(undefined)
    const given = short.annotations({ examples: ["too long", "a"] })
    expect(Cursor.exampleOf(given)).toBe(Cursor.encode("a"))
  })

  it("is a string", () => {
    expect(JSONSchema.make(ofInteger)).toMatchObject({ type: "string" })
  })
})
