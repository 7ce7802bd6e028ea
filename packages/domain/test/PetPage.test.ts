import { describe, expect, it } from "@effect/vitest"
import { CategoryId, PetId, PetName, petOf } from "@petstore/domain/Pet"
import { defaultLimit, maxTextBytes, PageLimit, pageOf } from "@petstore/domain/PetPage"
import { Option, Schema } from "effect"

const pet = { name: PetName.make("Rex"), categoryId: CategoryId.make(7n) }
const three = [1n, 2n, 3n]

describe("a page", () => {
  it.each([
    [1, [1n], Option.some(1n)],
    [2, [1n, 2n], Option.some(2n)],
    [3, [1n, 2n, 3n], Option.none()],
    [4, [1n, 2n, 3n], Option.none()]
  ])("of %i from three continues only if one is left over", (limit, ids, next) => {
    const pets = ids.map((id) => ({ id, ...pet }))
    const page = pageOf(three, limit, (id) => petOf(PetId.make(id), pet))
    expect(page).toEqual({ pets, next })
    // It may have several readers.
    expect(Object.isFrozen(page.pets)).toBe(true)
  })

  it.each([
    "x",
    '"\\/',
    "\u0001\b\t\n\u000b\f\r\u000e\u001f\u007f",
    "\u007f\u0080",
    "\u07ff\u0800",
    "\ud7ff\ue000\uffff",
    "🐾",
    "é漢🐾a"
  ])("ends with the pet that brings it to its bytes, not before and not after: %s", (letters) => {
    const sizeOf = (text: string) => Buffer.byteLength(JSON.stringify(text)) - 2
    const size = sizeOf(letters)
    const half = letters.repeat(Math.floor((maxTextBytes / 2 - 1) / size))
    const rest = "r".repeat(maxTextBytes - 2 * sizeOf(half))
    for (const [names, count] of [
      [[half, half + rest, "next"], 2],
      [[half, `x${half}${rest}`, "next"], 2],
      [[half, `${half}${rest}`.slice(0, -1), "next", "other"], 3],
      [[half + half + half, "next"], 1]
    ] as const) {
      const pets = names.map((name, nth) =>
        petOf(PetId.make(BigInt(nth)), { ...pet, name: PetName.make(name) })
      )
      expect(pageOf(pets, 100, (one) => one)).toEqual({
        pets: pets.slice(0, count),
        next: count < pets.length ? Option.some(pets[count - 1]?.id) : Option.none()
      })
    }
  })

  it("has 1 to 100 pets, or 20", () => {
    for (const limit of [1, 100]) expect(Schema.is(PageLimit)(limit)).toBe(true)
    for (const limit of [0, 101, 1.5]) expect(Schema.is(PageLimit)(limit)).toBe(false)
    expect(defaultLimit).toBe(20)
  })
})
