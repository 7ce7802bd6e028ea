/** Examples in the OpenAPI document: what callers send and get, made-up but true. */
import type { Examples, ExampleValues } from "@petstore/http-transport/Annotations"

const newPets = {
  available: {
    summary: "A pet for sale",
    value: { name: "Rex", categoryId: 1, status: "available" }
  },
  withoutStatus: {
    summary: "A pet without a status",
    value: { name: "Tom", categoryId: 2 }
  },
  large: {
    summary: "A large category id, and Unicode in the name",
    // The largest integer that is exact in every JSON parser: mock servers refuse larger ones.
    value: { name: "Žofie 🐈", categoryId: 9007199254740991, status: "pending" }
  }
} satisfies ExampleValues

const pets = Object.fromEntries(
  Object.entries(newPets).map(([name, { summary, value }], nth) => {
    return [name, { summary, value: { id: nth + 1, ...value } }]
  })
)

/** The examples of each operation. */
export const listPets: Examples["Type"] = {
  response: {
    page: { summary: "Some pets", value: Object.values(pets).map(({ value }) => value) },
    empty: { summary: "No pet", value: [] }
  }
}
export const createPet: Examples["Type"] = { request: newPets, response: pets }
export const getPet: Examples["Type"] = { response: pets }
