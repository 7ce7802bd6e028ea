import { afterAll, expect, it } from "@effect/vitest"
import { Pets } from "@petstore/domain"
import { Authentication, Mounting } from "@petstore/http-server"
import { MemoryStores } from "@petstore/store-memory"
import { Effect, Layer } from "effect"
import * as Adoptions from "../src/Adoptions.ts"
import * as MemoryAdoptionStore from "../src/MemoryAdoptionStore.ts"

/** A token is the scope of its bearer. */
const authentication = Layer.succeed(Authentication.Authentication, {
  authenticate: (token) => Effect.succeed({ digest: token, scopes: [token] }),
  isReady: () => true
})
const pets = Layer.provide(Pets.layer, MemoryStores.layer)
const layer = Layer.mergeAll(pets, MemoryAdoptionStore.layer, authentication)
const { dispose, handler } = Mounting.toWebHandler(Adoptions.at("/v1"), layer)
afterAll(dispose)

const send = async (scope: string, path: string, sent?: object) => {
  const headers = { Authorization: `Bearer ${scope}`, "Content-Type": "application/json" }
  const init = sent && { method: "POST", body: JSON.stringify(sent) }
  const response = await handler(new Request(`http://localhost/v1${path}`, { headers, ...init }))
  return { status: response.status, body: JSON.parse(await response.text()) }
}
const adopt = { petId: 1, adopter: "Ada" }

it("lets a pet be adopted once", async () => {
  await send("pets:write", "/pets", { name: "Rex", categoryId: 1 })
  const { body, status } = await send("adoptions:write", "/adoptions", adopt)
  expect([status, body]).toEqual([201, { ...adopt, id: expect.any(String) }])
  expect(await send("adoptions:read", `/adoptions/${body.id}`)).toEqual({ status: 200, body })
  const again = await send("adoptions:write", "/adoptions", adopt)
  expect(again).toMatchObject({ status: 409, body: { message: "pet 1 has been adopted" } })
})

it.each([
  ["adoptions:read", "/adoptions", adopt, 403, "forbidden"],
  ["adoptions:write", "/adoptions", { ...adopt, petId: 7 }, 404, "pet_not_found"],
  ["adoptions:write", "/adoptions", { ...adopt, adopter: " " }, 400, "invalid_body"],
  ["adoptions:read", "/adoptions/7", undefined, 404, "adoption_not_found"]
])("answers %s of %s with %j: %i %s", async (scope, path, sent, status, code) => {
  expect(await send(scope, path, sent)).toMatchObject({ status, body: { code } })
})
