import { describe, expect, it } from "@effect/vitest"
import { keptFor } from "@petstore/http-transport/IdempotencyKey"
import { Either, FastCheck, JSONSchema, Schema } from "effect"

const IdempotencyKey = keptFor("24 hours")

const decode = Schema.decodeEither(IdempotencyKey)
const documented = JSONSchema.make(IdempotencyKey)
const matches = (text: string) =>
  new RegExp("pattern" in documented ? `${documented.pattern}` : "").test(text)
const visible = FastCheck.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code))
const keys = FastCheck.array(visible, { minLength: 1, maxLength: 255 }).map((all) => all.join(""))

describe("the header Idempotency-Key", () => {
  it("has a key of visible ASCII characters in quotes, or bare if it begins with none", () => {
    FastCheck.assert(
      FastCheck.property(keys, (key) => {
        const quoted = Schema.encodeSync(IdempotencyKey)(key)
        expect(quoted).toMatch(/^".+"$/)
        expect(decode(quoted)).toEqual(Either.right(key))
        if (!key.startsWith('"')) expect(decode(key)).toEqual(Either.right(key))
      })
    )
  })

  it.each([
    ["x".repeat(255), "x".repeat(255)],
    [`"${"x".repeat(255)}"`, "x".repeat(255)],
    [`"${'\\"'.repeat(255)}"`, '"'.repeat(255)],
    ['"a\\\\b\\"c"', 'a\\b"c'],
    ['a"b\\', 'a"b\\']
  ])("is read: %s", (text, key) => {
    expect(decode(text)).toEqual(Either.right(key))
    expect(matches(text)).toBe(true)
  })

  it.each([
    "",
    '"',
    '""',
    '"a',
    'x"a"y z',
    '"a"b',
    '"a"b"',
    '"a\\b"',
    '"a\\"',
    "a b",
    '"a b"',
    "a\n",
    '"a"\n',
    "\u007f",
    '"é"',
    "x".repeat(256),
    `"${"x".repeat(256)}"`
  ])("is refused: %j", (text) => {
    expect(() => Schema.decodeSync(IdempotencyKey)(text)).toThrow(
      /^must be 1 to 255 visible ASCII characters, in quotes or not$/
    )
    expect(matches(text)).toBe(false)
  })

  it("is a string", () => {
    expect(documented).toMatchObject({ type: "string" })
  })
})
