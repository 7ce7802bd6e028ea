/** The OpenAPI document, as linters see it. */
import { describe, expect, it } from "@effect/vitest"
import { contract } from "@petstore/http-adapter/PetStoreApi"
import * as OpenApiDocument from "@petstore/http-api/OpenApiDocument"
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

  it("has valid examples, or Spectral would say so", async () => {
    const worse = structuredClone(json)
    const { requestBody } = worse.paths["/pets"].post
    requestBody.content["application/json"].examples.available.value.name = 1
    const problems = await lintWithSpectral(worse)
    expect(problems.map(({ code }) => code)).toEqual(["oas3-valid-media-example"])
  })
})
