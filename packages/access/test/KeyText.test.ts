import { crc32 } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import { KeyMaker } from "@petstore/access/KeyMaker"
import * as KeyText from "@petstore/access/KeyText"
import * as NodeKeyMaker from "@petstore/access/NodeKeyMaker"
import { Effect, FastCheck as fc, Redacted } from "effect"

const alphabet = "0123456789abcdefghijklmnopqrstuv"
const strangers = ["_", "w", "z", "A", "V", " ", "\n", "é", "０"]

const bytes = fc.uint8Array({ minLength: KeyText.randomBytes, maxLength: KeyText.randomBytes })
/** Any character: the unit "binary" is the same, but takes a second to prepare. */
const character = fc
  .integer({ min: 0, max: 0x10f7ff })
  .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800))

/** Each tries every slip there is, so that a few keys will do. */
const few = { fastCheck: { numRuns: 20 } }

const positions = (text: string, more = 0) =>
  Array.from({ length: text.length + more }, (_, at) => at)
const wellFormed = (texts: ReadonlyArray<string>) => texts.filter(KeyText.idOf)

describe("the text of a key", () => {
  it.prop("is a prefix, an id, a secret and a checksum", [bytes], ([bytes]) => {
    const { id, text } = KeyText.fromBytes(bytes)
    expect(text).toMatch(/^pet_[0-9a-v]{10}_[0-9a-v]{39}$/)
    expect(text.slice(4, 14)).toBe(id)
    expect(KeyText.idOf(text)).toBe(id)
  })

  it.prop("ends with the CRC-32 of what is before it, in seven digits", [bytes], ([bytes]) => {
    const { text } = KeyText.fromBytes(bytes)
    const body = text.slice(0, -7)
    expect(text.slice(-7)).toBe(crc32(body).toString(32).padStart(7, "0"))
  })

  it("takes every letter of the alphabet equally often", () => {
    const counts = new Map<string, number>()
    for (let byte = 0; byte < 256; byte++) {
      const { id, text } = KeyText.fromBytes(new Uint8Array(KeyText.randomBytes).fill(byte))
      const letters = new Set(id + text.slice(15, -7))
      expect(letters.size).toBe(1)
      for (const letter of letters) counts.set(letter, (counts.get(letter) ?? 0) + 1)
    }
    expect([...counts.keys()].sort().join("")).toBe(alphabet)
    expect(new Set(counts.values())).toEqual(new Set([8]))
  })

  it("is made of this many bytes, neither more nor fewer", () => {
    for (const count of [0, 41, 43]) {
      expect(() => KeyText.fromBytes(new Uint8Array(count))).toThrow("a key is made of 42 bytes")
    }
  })
})

describe("a mistyped key", () => {
  /** None of the texts that a mistake makes of a key is a key. */
  const isNoticed = (mistake: string, texts: (text: string) => ReadonlyArray<string>) =>
    it.prop(
      `is noticed when ${mistake}`,
      [bytes],
      ([bytes]) => {
        expect(wellFormed(texts(KeyText.fromBytes(bytes).text))).toEqual([])
      },
      few
    )

  isNoticed("one character is replaced", (text) =>
    positions(text).flatMap((at) =>
      [...alphabet, ...strangers]
        .filter((character) => character !== text[at])
        .map((character) => text.slice(0, at) + character + text.slice(at + 1))
    )
  )

  isNoticed("two neighbours are swapped", (text) =>
    positions(text, -1)
      .filter((at) => text[at] !== text[at + 1])
      .map((at) => text.slice(0, at) + text[at + 1] + text[at] + text.slice(at + 2))
  )

  isNoticed("a character is missing", (text) =>
    positions(text).map((at) => text.slice(0, at) + text.slice(at + 1))
  )

  isNoticed("there is one character too many", (text) =>
    positions(text, 1).flatMap((at) =>
      [...alphabet, ...strangers].map((character) => text.slice(0, at) + character + text.slice(at))
    )
  )

  it.prop("is not any other text", [fc.string({ unit: character })], ([text]) => {
    expect(KeyText.idOf(text)).toBeUndefined()
  })
})

describe("a masked text", () => {
  const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code))
  const key = fc
    .array(visible, { minLength: 16, maxLength: 40 })
    .map((parts) => parts.join(""))
    // What looks encoded is decoded.
    .filter((key) => !/%[2-7]/.test(key))
  /** How often each character is percent-encoded. */
  const times = fc.array(fc.nat(3), { minLength: 1, maxLength: 7 })
  const encoded = (character: string, count: number): string =>
    Array.from({ length: count }).reduce<string>(
      (text) => text.replaceAll(/^.|%/g, (one) => `%${one.charCodeAt(0).toString(16)}`),
      character
    )
  const written = (text: string, times: ReadonlyArray<number>) =>
    Array.from(text, (one, at) => encoded(one, times[at % times.length] ?? 0)).join("")

  it.prop(
    "has no part of a key, however it is encoded",
    [key, times],
    ([key, times]) => {
      const masked = KeyText.mask([key.slice(0, -1), key])(`a ${written(key, times)} b`)
      expect(masked).toBe("a *** b")
    },
    few
  )

  it.prop("has the id of an issued key, but not its secret", [bytes, times], ([bytes, times]) => {
    const { id, text } = KeyText.fromBytes(bytes)
    expect(KeyText.withoutSecrets(`/${written(text, times)}/`)).toBe(`/pet_${id}_***/`)
    const upper = `PET_${id.toUpperCase()}_***`
    expect(KeyText.withoutSecrets(written(text.toUpperCase(), times))).toBe(upper)
    expect(KeyText.withoutSecrets(text.toUpperCase())).toBe(upper)
  })

  it("is still a line of JSON, whatever is percent-encoded beside a key", () => {
    const line = JSON.stringify({ path: "/%22,%5c%2522/pet_0123456789_abc" })
    expect(JSON.parse(KeyText.withoutSecrets(line))).toEqual({ path: '/",\\"/pet_0123456789_***' })
  })

  it("has no part of a key that looks percent-encoded itself", () => {
    const mask = KeyText.mask(["a%41b%25c"])
    expect(mask("a%41b%25c a%2541b%2525c")).toBe("*** ***")
  })

  it("has no part of a key that is written as in JSON", () => {
    const key = String.raw`a "quoted" \key`
    expect(KeyText.mask([key])(`${JSON.stringify({ key })} ${key}`)).toBe('{"key":"***"} ***')
  })

  it("keeps the id of an issued key if only its beginning is configured", () => {
    const mask = KeyText.mask(["pet_0123456789_abc", "xpet_0123456789_abc", "pet_9876543210_abc!"])
    expect(mask("pet_0123456789_abcdef xpet_0123456789_abc")).toBe("pet_0123456789_*** ***")
    expect(mask("pet_9876543210_abc!")).toBe("***")
  })

  it("keeps text that is not a key", () => {
    const text = "pet_ cat_0123456789_abc pet_0123456789_ pet_012345678_abc %41%22"
    expect(KeyText.withoutSecrets(text)).toBe(text)
  })
})

it("digests with SHA-256, in hexadecimal", () => {
  expect(NodeKeyMaker.digest("abc")).toBe(
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
  )
})

it.effect("makes another well-formed key each time, with its digest", () =>
  Effect.gen(function* () {
    const { make } = yield* KeyMaker
    const [one, other] = yield* Effect.all([make, make])
    expect(KeyText.idOf(Redacted.value(one.text))).toBe(one.id)
    expect(one.digest).toBe(NodeKeyMaker.digest(Redacted.value(one.text)))
    expect(Redacted.value(one.text)).toContain(one.id)
    expect([other.id, other.digest]).not.toEqual([one.id, one.digest])
  }).pipe(Effect.provide(NodeKeyMaker.layer))
)
