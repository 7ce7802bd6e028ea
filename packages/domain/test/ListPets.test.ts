import { describe, expect, it } from "@effect/vitest"
import * as ListPets from "@petstore/domain/ListPets"
import { CategoryId, PetId, PetName } from "@petstore/domain/Pet"
import { PageLimit } from "@petstore/domain/PetPage"

const pet = { name: PetName.make("Rex"), categoryId: CategoryId.make(1n), status: "sold" } as const

describe("the parameters of a list", () => {
  it("show the pets that have their values", () => {
    expect(ListPets.shows({}, pet)).toBe(true)
    expect(ListPets.shows({ status: "sold" }, pet)).toBe(true)
    expect(ListPets.shows({ status: "pending" }, pet)).toBe(false)
    const { status: _, ...without } = pet
    expect(ListPets.shows({ status: "sold" }, without)).toBe(false)
  })

  it("are written as in a link", () => {
    expect(ListPets.textOf({})).toBe("")
    expect(ListPets.textOf({ status: "sold" })).toBe("&status=sold")
  })

  it("make the key of a query together with its limit and its start", () => {
    const limit = PageLimit.make(1)
    const queries = [
      { limit },
      { limit: PageLimit.make(11) },
      { limit, after: PetId.make(1n) },
      { limit, after: PetId.make(0n) },
      { limit, status: "sold" },
      { limit, after: PetId.make(1n), status: "sold" }
    ] as const
    expect(new Set(queries.map(ListPets.keyOf)).size).toBe(queries.length)
  })
})
