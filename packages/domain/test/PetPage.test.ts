import { describe, expect, it } from "@effect/vitest"
import { CategoryId, PetName, type Row, valuesOf } from "@petstore/domain/Pet"
import { defaultLimit, PageLimit, pageOf } from "@petstore/domain/PetPage"
import { Option, Schema } from "effect"

const pet = { name: PetName.make("Rex"), categoryId: CategoryId.make(7n) }
const rows = [1n, 2n, 3n].map((id): Row => [id, ...valuesOf(pet)])

describe("a page", () => {
  it.each([
    [1, [1n], Option.some(1n)],
    [2, [1n, 2n], Option.some(2n)],
    [3, [1n, 2n, 3n], Option.none()],
    [4, [1n, 2n, 3n], Option.none()]
  ])("of %i from three rows continues only if a row is left over", (limit, ids, next) => {
    const pets = ids.map((id) => ({ id, ...pet }))
    expect(pageOf(rows, limit)).toEqual({ pets, next })
  })

  it("has 1 to 100 pets, or 20", () => {
    for (const limit of [1, 100]) expect(Schema.is(PageLimit)(limit)).toBe(true)
    for (const limit of [0, 101, 1.5]) expect(Schema.is(PageLimit)(limit)).toBe(false)
    expect(defaultLimit).toBe(20)
  })
})
