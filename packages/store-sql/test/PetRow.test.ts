import { describe, expect, it } from "@effect/vitest"
import { fields, Pet } from "@petstore/domain/Pet"
import * as Columns from "@petstore/store-sql/Columns"
import { fromRow, type PetRow, valuesOf } from "@petstore/store-sql/PetRow"
import { Arbitrary, Either, FastCheck, Schema } from "effect"

const anyPet = Arbitrary.make(Schema.typeSchema(Pet))

describe("the fields of a pet", () => {
  it("have columns in snake case", () => {
    expect(Columns.pet).toMatch(/^name, category_id, status/)
  })

  it("make a row, and a row makes the pet again", () => {
    FastCheck.assert(
      FastCheck.property(anyPet, (pet) => {
        const values = valuesOf(pet)
        expect(values).toHaveLength(fields.length)
        expect(fromRow([pet.id, ...values])).toStrictEqual(pet)
      })
    )
  })

  it("are checked as by the schema when they are read from a row", () => {
    const isPet = Schema.is(Pet)
    const odd = [null, "", "Rex", "a\0", "\ud800", "sold", "Sold", 1n, -5n]
    const [pet] = FastCheck.sample(anyPet, { numRuns: 1, seed: 1 })
    if (pet === undefined) throw new Error("no sample")
    for (const [nth, { name }] of fields.entries()) {
      for (const value of odd) {
        const row: PetRow = [pet.id, ...valuesOf(pet).with(nth, value)]
        const { [name]: _, ...others } = pet
        const expected = isPet({ ...others, ...(value !== null && { [name]: value }) })
        const read = Either.try(() => fromRow(row))
        expect([name, value, Either.isRight(read)]).toEqual([name, value, expected])
        const message = `the row of pet ${pet.id} is not a valid pet`
        if (Either.isLeft(read))
          expect(read.left).toMatchObject({ reason: "damaged", cause: { message } })
      }
    }
  })
})
