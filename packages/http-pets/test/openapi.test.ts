/** The OpenAPI document: every response is held to it, and its examples are what the server takes and says. */
import { describe, expect, it } from "@effect/vitest"
import { contract } from "@petstore/http-pets/PetStoreApi"
import { listed } from "@petstore/http-pets/PetStoreErrors"
import * as PetStoreServer from "@petstore/http-pets/PetStoreServer"
import * as OpenApiDocument from "@petstore/http-transport/OpenApiDocument"
import { Effect } from "effect"
import type { Response } from "../../http-transport/test/support/Response.ts"
import { live } from "../../http-transport/test/support/Served.ts"
import * as Conformance from "./support/Conformance.ts"
import { exchange } from "./support/Conformance.ts"
import * as Harness from "./support/Harness.ts"
import { create, keys, operation, type Request } from "./support/Request.ts"
import { served } from "./support/Served.ts"

const servers = [
  { url: "https://pets.example.org/v1", description: "Production" },
  { url: "https://staging.pets.example.org/v1", description: "Staging" }
]
type Node = ReturnType<typeof JSON.parse>
const document = JSON.stringify(OpenApiDocument.make({ ...contract, servers }))
const json: Node = JSON.parse(document)
const { "/pets": pets, "/pets/{petId}": pet } = json.paths

describe("the document", () => {
  served({ server: { servers } })(
    "is served without a key, and names the servers that were configured",
    function* () {
      const response = yield* exchange({ target: "/openapi.json", key: null })
      expect(response.body).toBe(document)
      const license = { name: "MIT", identifier: "MIT" }
      const contact = { name: expect.stringMatching(/./) }
      const info = { title: "Pet Store", version: "1.0.0", license, contact }
      expect(json).toMatchObject({ info, servers })
    }
  )

  served()("names this server where none was configured", function* () {
    const response = yield* exchange({ target: "/openapi.json", key: null })
    expect(JSON.parse(response.body).servers).toEqual([{ url: "/v1", description: "This server" }])
  })

  it("has examples of every parameter, header, request and response", () => {
    const isFilled = (examples: object | undefined) => Object.keys(examples ?? {}).length > 0
    const resolve = (schema: Node): Node =>
      schema?.$ref === undefined
        ? (schema ?? {})
        : json.components.schemas[schema.$ref.split("/").at(-1)]
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
          if (content !== undefined) look(`${place} ${status}`, content["application/json"])
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

  it("is introduced by what callers need to know", () => {
    const { description } = json.info
    expect(description.match(/^## .*$/gm)).toEqual([
      ...["## Quick start", "## Authentication", "## Errors", "## Paging", "## Rate limits"],
      ...["## Web pages", "## Repeating a create", "## Exact integers", "## Compatibility"],
      "## Language models"
    ])
    for (const { code, meaning, status } of listed)
      expect(description).toContain(`\n- ${status} \`${code}\`: ${meaning}`)
    expect(description).toContain("`pets:read` to list and get pets, `pets:write` to add pets")
  })

  served()("has the same introduction in the text for language models", function* () {
    const { body } = yield* exchange({ target: "/llms.txt", key: null })
    expect(body).toMatch(/^# Pet Store\n\n> List, add and read the pets of a pet store\n/)
    expect(body).toContain(json.info.description)
  })

  it("names the operations and asks each for a bearer key", () => {
    const operations = [pets.get, pets.post, pet.get]
    expect(operations.map((one) => one.operationId)).toEqual(["listPets", "createPet", "getPet"])
    for (const one of operations) expect(one.security).toEqual([{ apiKey: [] }])
    expect(json.components.securitySchemes.apiKey).toMatchObject({ type: "http", scheme: "bearer" })
    expect(operations.map((one) => one.deprecated ?? false)).toEqual([false, false, true])
    expect(pet.get.summary).toBe("Get a pet (until 5 December 2030)")
  })

  it("describes the parameters as they are", () => {
    const namesOf = ({ parameters }: Node) => parameters.map(({ name }: Node) => name)
    expect(namesOf(pets.get)).toEqual(["limit", "status", "cursor", "If-None-Match"])
    expect(pets.get.parameters[0]).toMatchObject({
      in: "query",
      required: false,
      schema: { type: "integer", minimum: 1, maximum: 100, default: 20 }
    })
    expect(namesOf(pet.get)).toEqual(["petId", "If-None-Match"])
    expect(pet.get.parameters[0].schema).toMatchObject({ type: "integer", format: "int64" })
    const [parameter, ...others] = pets.post.parameters
    expect(parameter).toMatchObject({ name: "Idempotency-Key", in: "header", required: false })
    expect(parameter.description).toContain("24 hours")
    expect(others).toEqual([])
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
    [pets.get, "200 304 400 401 403 405 408 429 431 500 503"],
    [pets.post, "201 400 401 403 405 408 413 415 422 429 431 500 503"],
    [pet.get, "200 304 400 401 403 404 405 408 410 429 431 500 503"]
  ])("lists every status that an operation returns", ({ responses }, statuses) => {
    expect(Object.keys(responses).join(" ")).toBe(statuses)
    for (const status of statuses.split(" ").filter((one) => Number(one) >= 400))
      expect(responses[status].content["application/json"].schema.$ref).toMatch(/\/Error$/)
  })
})

/** The checks that every response of every test goes through must themselves be able to fail. */
describe("a response that breaks the contract is noticed", () => {
  const list = operation("GET /v1/pets")
  const get = operation("GET /v1/pets/1")
  const seen = Effect.gen(function* () {
    yield* exchange(create('{"name":"n","categoryId":1,"status":"sold"}'))
    return {
      list: yield* exchange({ target: "/v1/pets" }),
      get: yield* exchange({ target: "/v1/pets/1" }),
      refused: yield* exchange({ target: "/v1/pets", key: null })
    }
  }).pipe(Effect.provide(Harness.layer()))

  const without = (response: Response, name: string): Response => ({
    ...response,
    headers: response.headers.filter(([header]) => header !== name)
  })
  const adding = (response: Response, name: string, value: string): Response => ({
    ...response,
    headers: [...response.headers, [name, value]]
  })
  const saying = (response: Response, from: string, to: string): Response => ({
    ...response,
    body: response.body.replace(from, to)
  })

  live("while one that keeps it is not", function* () {
    const responses = yield* seen
    Conformance.check(responses.list, list)
    Conformance.check(responses.get, get)
    Conformance.check(responses.refused, list)
    Conformance.check({ ...responses.get, body: "" }, operation("HEAD /v1/pets/1"))
    Conformance.check(responses.refused, operation("GET /none"))
  })

  live("wherever it breaks it", function* () {
    const responses = yield* seen
    const long = `"${"x".repeat(301)}"`
    const broken: ReadonlyArray<readonly [Response, typeof list]> = [
      [{ ...responses.list, status: 202 }, list],
      [responses.get, list],
      [responses.list, get],
      [saying(responses.list, '"id":1,', ""), list],
      [saying(responses.list, '"id":1', '"id":"1"'), list],
      [saying(responses.list, '"id":1', '"id":1,"owner":"x"'), list],
      [saying(responses.list, '"sold"', '"gone"'), list],
      [without(responses.list, "X-Request-Id"), list],
      [adding(responses.list, "X-Request-Id", "a"), list],
      [adding(responses.list, "Server", "node"), list],
      [without(responses.get, "Deprecation"), get],
      [without(responses.refused, "WWW-Authenticate"), list],
      [without(responses.refused, "Cache-Control"), list],
      [saying(responses.refused, '"status":401', '"status":400'), list],
      [saying(responses.refused, '"unauthorized"', '"forbidden"'), list],
      [saying(responses.refused, ',"status":401', ',"status":401,"_tag":"x"'), list],
      [
        saying(
          responses.refused,
          /"message":("[^"]*")/.exec(responses.refused.body)?.[1] ?? "",
          long
        ),
        list
      ],
      [{ ...responses.refused, body: "" }, list]
    ]
    for (const [response, asked] of broken) {
      expect(() => Conformance.check(response, asked)).toThrow()
    }
  })
})

const { paths }: Node = JSON.parse(
  JSON.stringify(OpenApiDocument.make({ ...PetStoreServer.defaults, ...contract }))
)
const { get: listPets, post: createPet } = paths["/pets"]
const { get: getPet } = paths["/pets/{petId}"]
const examplesOf = ({ content }: Node) =>
  Object.values<Node>(content["application/json"].examples).map(({ value }) => value)

const rex = create('{"name":"Rex","categoryId":1}')
const invalid = create('{"categoryId":"1","status":"gone"}')
const withKey = (body: string): Request => ({
  ...create(body),
  headers: ["Idempotency-Key: the-same"]
})

/** Requests that are refused as an example shows. */
const refused: ReadonlyArray<readonly [code: string, operation: Node, Request]> = [
  ["malformed_json", createPet, create("")],
  ["invalid_body", createPet, invalid],
  ["invalid_parameter", listPets, { target: "/v1/pets?limit=0" }],
  ["bad_request", listPets, { target: "/v1/pets", headers: ["Host: other"] }],
  ["unauthorized", listPets, { target: "/v1/pets", key: null }],
  ["forbidden", createPet, { ...rex, key: keys.read }],
  ["forbidden", listPets, { target: "/v1/pets", key: keys.write }],
  ["pet_not_found", getPet, { target: "/v1/pets/7" }],
  ["method_not_allowed", listPets, { target: "/v1/pets", method: "DELETE" }],
  ["method_not_allowed", getPet, { target: "/v1/pets/1", method: "PUT" }],
  ["payload_too_large", createPet, create(`{"name":"${"x".repeat(65_536)}"}`)],
  ["unsupported_media_type", createPet, { ...rex, type: "text/plain" }],
  ["idempotency_key_reused", createPet, withKey('{"name":"Tom","categoryId":2}')]
]

describe("the examples of the document", () => {
  served()("can be sent, and are answered as they say", function* () {
    const added: Array<unknown> = []
    for (const example of examplesOf(createPet.requestBody)) {
      const response = yield* exchange(create(JSON.stringify(example)))
      expect(response.status).toBe(201)
      added.push(JSON.parse(response.body))
    }
    expect(examplesOf(createPet.responses[201])).toEqual(added)
    expect(examplesOf(getPet.responses[200])).toEqual(added)
    const page = yield* exchange({ target: "/v1/pets" })
    expect(examplesOf(listPets.responses[200])[0]).toEqual(JSON.parse(page.body))
  })

  for (const [code, operation, request] of refused) {
    served()(`say what the server says: ${code} at ${request.method ?? "GET"}`, function* () {
      yield* exchange(withKey('{"name":"Rex","categoryId":1}'))
      const response = yield* exchange(request)
      const example = operation.responses[response.status]?.content
      expect(JSON.parse(response.body)).toEqual(example?.["application/json"].examples[code]?.value)
    })
  }
})
