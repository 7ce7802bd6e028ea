/** The OpenAPI document, as linters see it. */
import { describe, expect, it } from "@effect/vitest"
import { contract } from "@petstore/http-pets/PetStoreApi"
import * as OpenApiDocument from "@petstore/http-transport/OpenApiDocument"
import { Ajv2020 } from "ajv/dist/2020.js"
import { lintWithRedocly, lintWithSpectral } from "./support/Linters.ts"

const document = OpenApiDocument.make({
  ...contract,
  servers: [{ url: "https://pets.example.org/v1", description: "Production" }]
})
const json = JSON.parse(JSON.stringify(document))

describe("the OpenAPI document", () => {
  it("passes Spectral's rules", async () => {
    expect(await lintWithSpectral(json)).toEqual([])
    const { operationId: _, ...listPets } = json.paths["/pets"].get
    const worse = { ...json, paths: { "/pets": { get: listPets } } }
    expect(await lintWithSpectral(worse)).not.toEqual([])
  })

  it("passes Redocly's rules", async () => {
    expect(await lintWithRedocly(json)).toEqual([])
    expect(await lintWithRedocly({ ...json, servers: [] })).not.toEqual([])
  })

  it("has a schema of bodies that says what is accepted", () => {
    const { schemas } = json.components
    const validate = new Ajv2020({ strict: false, formats: { int64: true } }).compile({
      ...schemas.NewPet,
      components: { schemas }
    })
    const isValid = (name: string) => validate({ name, categoryId: 1, status: "sold" })
    expect(["Rex", "Žofie 🐈", " \n"].filter((name) => !isValid(name))).toEqual([])
    expect(["", "a\0", "\ud83d", "\udc08 a"].filter(isValid)).toEqual([])
  })

  it("has valid examples, or Spectral would say so", async () => {
    const worse = structuredClone(json)
    const { requestBody } = worse.paths["/pets"].post
    requestBody.content["application/json"].examples.available.value.name = 1
    const problems = await lintWithSpectral(worse)
    expect(problems.map(({ code }) => code)).toEqual(["oas3-valid-media-example"])
  })
})
