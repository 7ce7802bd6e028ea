/** The examples of the document are what the server takes and says. */
import { describe, expect } from "@effect/vitest"
import { contract } from "@petstore/http-pets/PetStoreApi"
import * as PetStoreServer from "@petstore/http-pets/PetStoreServer"
import * as OpenApiDocument from "@petstore/http-transport/OpenApiDocument"
import { exchange } from "./support/Conformance.ts"
import { create, keys, type Request } from "./support/Request.ts"
import { served } from "./support/Served.ts"

type Node = ReturnType<typeof JSON.parse>
const { paths }: Node = JSON.parse(
  JSON.stringify(OpenApiDocument.make({ ...PetStoreServer.defaults, ...contract }))
)
const { get: listPets, post: createPet } = paths["/pets"]
const { get: getPet } = paths["/pets/{petId}"]
const examplesOf = ({ content }: Node) =>
  Object.values<Node>(content["application/json"].examples).map(({ value }) => value)

const pet = create('{"name":"Rex","categoryId":1}')
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
  ["forbidden", createPet, { ...pet, key: keys.read }],
  ["forbidden", listPets, { target: "/v1/pets", key: keys.write }],
  ["pet_not_found", getPet, { target: "/v1/pets/7" }],
  ["method_not_allowed", listPets, { target: "/v1/pets", method: "DELETE" }],
  ["method_not_allowed", getPet, { target: "/v1/pets/1", method: "PUT" }],
  ["payload_too_large", createPet, create(`{"name":"${"x".repeat(65_536)}"}`)],
  ["unsupported_media_type", createPet, { ...pet, type: "text/plain" }],
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
