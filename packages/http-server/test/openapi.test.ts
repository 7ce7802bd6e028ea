/** The OpenAPI document, and that every response is held to it. */
import { describe, expect, it } from "@effect/vitest"
import * as OpenApiDocument from "@petstore/http-contract/OpenApiDocument"
import { contract } from "@petstore/http-contract/PetStoreApi"
import * as PetStoreServer from "@petstore/http-server/PetStoreServer"
import { Effect } from "effect"
import * as Conformance from "./support/Conformance.ts"
import { exchange } from "./support/Connection.ts"
import * as Harness from "./support/Harness.ts"
import { create, operation } from "./support/Request.ts"
import type { Response } from "./support/Response.ts"

describe("the document", () => {
  const servers = [
    { url: "https://pets.example.org/v1", description: "Production" },
    { url: "https://staging.pets.example.org/v1", description: "Staging" }
  ]

  it.scopedLive("is served without a key, and names the servers that were configured", () =>
    Effect.gen(function* () {
      const response = yield* exchange({ target: "/openapi.json", key: null })
      expect(response.body).toBe(JSON.stringify(OpenApiDocument.make({ ...contract, servers })))
      const document = JSON.parse(response.body)
      expect(document).toMatchObject({
        info: { title: "Pet Store", version: "1.0.0" },
        servers,
        paths: {
          "/pets": {
            get: { operationId: "listPets", security: [{ apiKey: [] }] },
            post: { operationId: "createPet", security: [{ apiKey: [] }] }
          },
          "/pets/{petId}": {
            get: { operationId: "getPet", security: [{ apiKey: [] }], deprecated: true }
          }
        },
        components: { securitySchemes: { apiKey: { type: "http", scheme: "bearer" } } }
      })
      expect(document.openapi).toMatch(/^3\.1\./)
    }).pipe(Effect.provide(Harness.layer({ server: { servers } })))
  )

  it.scopedLive("lists every status that its operations return", () =>
    Effect.gen(function* () {
      const response = yield* exchange({ target: "/openapi.json", key: null })
      const { paths } = JSON.parse(response.body)
      const always = ["400", "401", "403", "405", "408", "429", "431", "500", "503"]
      const statuses = (place: { readonly responses: object }) => Object.keys(place.responses)
      expect(statuses(paths["/pets"].get).sort()).toEqual(["200", "304", ...always])
      expect(statuses(paths["/pets"].post).sort()).toEqual(
        ["201", ...always, "413", "415", "422"].sort()
      )
      expect(statuses(paths["/pets/{petId}"].get).sort()).toEqual(
        ["200", "304", ...always, "404", "410"].sort()
      )
    }).pipe(Effect.provide(Harness.layer()))
  )

  it.scopedLive("names this server where none was configured", () =>
    Effect.gen(function* () {
      const response = yield* exchange({ target: "/openapi.json", key: null })
      expect(JSON.parse(response.body).servers).toEqual(PetStoreServer.defaults.servers)
    }).pipe(Effect.provide(Harness.layer()))
  )
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

  it.scopedLive("while one that keeps it is not", () =>
    Effect.gen(function* () {
      const responses = yield* seen
      Conformance.check(responses.list, list)
      Conformance.check(responses.get, get)
      Conformance.check(responses.refused, list)
      Conformance.check({ ...responses.get, body: "" }, operation("HEAD /v1/pets/1"))
      Conformance.check(responses.refused, operation("GET /none"))
    })
  )

  it.scopedLive("wherever it breaks it", () =>
    Effect.gen(function* () {
      const responses = yield* seen
      const long = `"${"x".repeat(301)}"`
      const broken: ReadonlyArray<readonly [Response, typeof list]> = [
        [{ ...responses.list, status: 202 }, list],
        [{ ...responses.list, status: 404 }, list],
        [responses.get, list],
        [responses.list, get],
        [saying(responses.list, '"id":1,', ""), list],
        [saying(responses.list, '"id":1', '"id":"1"'), list],
        [saying(responses.list, '"id":1', '"id":1.5'), list],
        [saying(responses.list, '"id":1', '"id":1,"owner":"x"'), list],
        [saying(responses.list, '"n"', '""'), list],
        [saying(responses.list, '"sold"', '"gone"'), list],
        [saying(responses.list, '"sold"', "null"), list],
        [without(responses.list, "X-Request-Id"), list],
        [adding(responses.list, "X-Request-Id", "a"), list],
        [without(responses.list, "X-Content-Type-Options"), list],
        [adding(responses.list, "Server", "node"), list],
        [adding(responses.list, "X-Powered-By", "node"), list],
        [without(responses.get, "Deprecation"), get],
        [without(responses.get, "Sunset"), get],
        [without(responses.get, "Link"), get],
        [without(responses.refused, "WWW-Authenticate"), list],
        [without(responses.refused, "Cache-Control"), list],
        [without(responses.refused, "Content-Type"), list],
        [saying(responses.refused, '"status":401', '"status":400'), list],
        [saying(responses.refused, '"unauthorized"', '"forbidden"'), list],
        [saying(responses.refused, '"unauthorized"', '"denied"'), list],
        [saying(responses.refused, ',"status":401', ',"status":401,"_tag":"x"'), list],
        [saying(responses.refused, '"code"', '"_tag":"x","code"'), operation("GET /none")],
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
  )
})
