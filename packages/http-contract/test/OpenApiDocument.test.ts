import { describe, expect, it } from "@effect/vitest"
import * as ErrorBody from "@petstore/http-contract/ErrorBody"
import * as OpenApiDocument from "@petstore/http-contract/OpenApiDocument"
import { contract } from "@petstore/http-contract/PetStoreApi"

const document = OpenApiDocument.make({
  ...contract,
  servers: [
    { url: "https://pets.example.org/v1", description: "Production" },
    { url: "https://staging.pets.example.org/v1", description: "Staging" }
  ]
})
// biome-ignore lint/suspicious/noExplicitAny: a document is read here as its readers do, as JSON
type Node = any
const json: Node = JSON.parse(JSON.stringify(document))

const resolve = (schema: Node): Node =>
  schema?.$ref === undefined
    ? (schema ?? {})
    : json.components.schemas[schema.$ref.split("/").at(-1)]
const isFilled = (examples: object | undefined) => Object.keys(examples ?? {}).length > 0

describe("the OpenAPI document", () => {
  it("has examples of every parameter, header, request and response", () => {
    const without: Array<string> = []
    const look = (place: string, value: Node) => {
      const has = value.example !== undefined || isFilled(value.examples)
      if (!has && !isFilled(resolve(value.schema).examples)) without.push(place)
    }
    for (const [path, operations] of Object.entries<Node>(json.paths)) {
      for (const [method, operation] of Object.entries<Node>(operations)) {
        const place = `${method} ${path}`
        for (const parameter of operation.parameters) look(`${place} ${parameter.name}`, parameter)
        if (operation.requestBody) look(place, operation.requestBody.content["application/json"])
        for (const [status, { content, headers }] of Object.entries<Node>(operation.responses)) {
          if (!["204", "304"].includes(status))
            look(`${place} ${status}`, content["application/json"])
          for (const [name, header] of Object.entries<Node>(headers))
            look(`${place} ${status} ${name}`, header)
        }
      }
    }
    expect(without).toEqual([])
    for (const { properties = {} } of Object.values<Node>(json.components.schemas))
      for (const property of Object.values<Node>(properties))
        expect(isFilled(resolve(property).examples)).toBe(true)
  })

  it("shows the codes of every error, each with a message of its own", () => {
    const { responses } = json.paths["/pets"].post
    const { examples } = responses[400].content["application/json"]
    expect(Object.keys(examples)).toEqual(["bad_request", "malformed_json", "invalid_body"])
    for (const [code, { summary, value }] of Object.entries<Node>(examples)) {
      expect(value).toMatchObject({ code, status: 400 })
      expect(value.message).not.toBe(summary)
      expect(responses[400].description).toContain(`\`${code}\`: ${summary}.`)
    }
    const forbidden = (operation: Node) => operation.responses[403].content["application/json"]
    expect(forbidden(json.paths["/pets"].get).examples.forbidden.value.message).toContain(
      "pets:read"
    )
    expect(forbidden(json.paths["/pets"].post).examples.forbidden.value.message).toContain(
      "pets:write"
    )
    const { headers } = json.paths["/pets/{petId}"].get.responses[405]
    expect(headers.Allow.example).toMatch(/^GET, HEAD,.* OPTIONS$/)
  })

  it("has the dates and the successor of a deprecated operation", () => {
    const { headers } = json.paths["/pets/{petId}"].get.responses[200]
    expect(headers).toMatchObject({
      Deprecation: { example: "@1794614400" },
      Sunset: { example: "Thu, 05 Dec 2030 00:00:00 GMT" },
      Link: { example: '</v1/pets>; rel="successor-version"' }
    })
  })

  it("says nothing of other properties, so that generated clients notice misspelled ones", () => {
    expect(JSON.stringify(json)).not.toMatch(/additionalProperties|unevaluatedProperties/)
  })

  it("is introduced by what callers need to know", () => {
    const { description } = json.info
    expect(description.match(/^## .*$/gm)).toEqual([
      "## Quick start",
      "## Authentication",
      "## Errors",
      "## Paging",
      "## Rate limits",
      "## Web pages",
      "## Repeating a create",
      "## Exact integers",
      "## Deprecation"
    ])
    for (const [code, [status, meaning]] of Object.entries(ErrorBody.errors))
      expect(description).toContain(`\n- ${status} \`${code}\`: ${meaning}\n`)
  })

  it("is 3.1, and says which service and version it is of", () => {
    expect(json.openapi).toMatch(/^3\.1\./)
    expect(json.info).toMatchObject({ title: "Pet Store", version: "1.0.0" })
    expect(json.servers.map((server: { url: string }) => server.url)).toEqual([
      "https://pets.example.org/v1",
      "https://staging.pets.example.org/v1"
    ])
  })

  it("names the operations and asks each for a bearer key", () => {
    const operations = [
      json.paths["/pets"].get,
      json.paths["/pets"].post,
      json.paths["/pets/{petId}"].get
    ]
    expect(Object.keys(json.paths)).toEqual(expect.arrayContaining(["/pets", "/pets/{petId}"]))
    expect(operations.map((one) => one.operationId)).toEqual(["listPets", "createPet", "getPet"])
    for (const one of operations) expect(one.security).toEqual([{ apiKey: [] }])
    expect(json.components.securitySchemes.apiKey).toMatchObject({ type: "http", scheme: "bearer" })
    expect(operations.map((one) => one.deprecated ?? false)).toEqual([false, false, true])
  })

  it("describes the parameters as they are", () => {
    const { parameters } = json.paths["/pets"].get
    expect(parameters.map((one: { name: string }) => one.name)).toEqual([
      "limit",
      "status",
      "cursor",
      "If-None-Match"
    ])
    expect(parameters[0]).toMatchObject({
      in: "query",
      required: false,
      schema: { type: "integer", minimum: 1, maximum: 100, default: 20 }
    })
    expect(json.paths["/pets/{petId}"].get.parameters).toMatchObject([
      { name: "petId", in: "path", required: true, schema: { type: "integer", format: "int64" } },
      { name: "If-None-Match", in: "header", required: false }
    ])
  })

  it("has the schemas of the interface, by their names", () => {
    const { schemas } = json.components
    expect(Object.keys(schemas).sort()).toEqual(["Error", "NewPet", "Pet", "PetStatus", "Pets"])
    expect(schemas.Pet.required).toEqual(["id", "name", "categoryId"])
    expect(schemas.NewPet.required).toEqual(["name", "categoryId"])
    expect(schemas.Pet.properties.id).toMatchObject({ type: "integer", format: "int64" })
    expect(schemas.Pet.properties.categoryId).toMatchObject({ type: "integer", format: "int64" })
    expect(schemas.PetStatus.enum).toEqual(["available", "pending", "sold"])
    expect(schemas.Pets).toMatchObject({ type: "array", items: { $ref: expect.any(String) } })
    expect(schemas.Error.required).toEqual(["code", "message", "status"])
  })

  it.each([
    ["/pets", "get", "200 304 400 401 403 405 408 429 431 500 503"],
    ["/pets", "post", "201 400 401 403 405 408 413 415 422 429 431 500 503"],
    ["/pets/{petId}", "get", "200 304 400 401 403 404 405 408 410 429 431 500 503"]
  ])("documents every status of %s %s with the Error schema", (path, method, statuses) => {
    const { responses } = json.paths[path][method]
    expect(Object.keys(responses).join(" ")).toBe(statuses)
    for (const [status, response] of Object.entries<Record<string, object>>(responses)) {
      if (Number(status) < 400) continue
      expect(response["content"]).toMatchObject({
        "application/json": { schema: { $ref: "#/components/schemas/Error" } }
      })
      expect(Object.keys(response["headers"] ?? {})).toContain("Cache-Control")
    }
  })
})

describe("an error body", () => {
  it("carries the status of its code and no more than 300 characters", () => {
    const body = ErrorBody.make("invalid_body", "x".repeat(1000))
    expect(body.status).toBe(400)
    expect(body.message).toHaveLength(300)
    const cut = ErrorBody.make("invalid_body", `${"x".repeat(298)}😀😀`)
    expect(cut.message.isWellFormed()).toBe(true)
  })

  it("documents the key of a repeated create, under its usual name", () => {
    const [parameter, ...others] = json.paths["/pets"].post.parameters
    expect(parameter).toMatchObject({ name: "Idempotency-Key", in: "header", required: false })
    expect(parameter.description).toContain("24 hours")
    expect(others).toEqual([])
  })
})
