import { describe, expect, it } from "@effect/vitest"
import * as Cursor from "@petstore/http-transport/Cursor"
import * as Int64 from "@petstore/kernel/Int64"
import { Either, FastCheck, JSONSchema, Schema } from "effect"

const ofInteger = Cursor.of(Int64.Int64)
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

  it("is a string", () => {
    expect(JSONSchema.make(ofInteger)).toMatchObject({ type: "string" })
  })
})
