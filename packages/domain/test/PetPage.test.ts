import { describe, expect, it } from "@effect/vitest"
import { CategoryId, PetId, PetName, petOf } from "@petstore/domain/Pet"
import { defaultLimit, PageLimit, pageOf } from "@petstore/domain/PetPage"
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

  it("has 1 to 100 pets, or 20", () => {
    for (const limit of [1, 100]) expect(Schema.is(PageLimit)(limit)).toBe(true)
    for (const limit of [0, 101, 1.5]) expect(Schema.is(PageLimit)(limit)).toBe(false)
    expect(defaultLimit).toBe(20)
  })
})
