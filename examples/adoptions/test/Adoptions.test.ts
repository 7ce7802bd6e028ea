import { afterAll, expect, it } from "@effect/vitest"
import { Pets } from "@petstore/domain"
import { Authentication, Mounting } from "@petstore/http-server"
import { MemoryStores } from "@petstore/store-memory"
import { Effect, Layer } from "effect"
import * as Adoptions from "../src/Adoptions.ts"
import { AlreadyAdopted, createAdoptions } from "../src/AdoptionsClient.ts"
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

/** A client whose key is a scope. */
const client = (scope: string) =>
  createAdoptions({
    baseUrl: "http://localhost",
    apiKey: scope,
    fetch: (url, init) => handler(new Request(url, init))
  })
const reading = client("adoptions:read").adoptions
const writing = client("adoptions:write").adoptions
const adopt = { petId: 1n, adopter: "Ada" }

it("lets a pet be adopted once", async () => {
  const rex = await client("pets:write").pets.add({ name: "Rex", categoryId: 1 })
  for await (const pet of client("pets:read").pets.list()) expect(pet).toEqual(rex)
  const adoption = await writing.add(adopt)
  expect(adoption).toEqual({ ...adopt, id: expect.any(String) })
  expect(await reading.get(adoption.id)).toEqual(adoption)
  await expect(writing.add(adopt)).rejects.toThrow(AlreadyAdopted)
  await expect(writing.add(adopt)).rejects.toThrow("pet 1 has been adopted")
})

it.each([
  ["an addition by a reader", () => reading.add(adopt), 403, "forbidden"],
  ["an unknown pet", () => writing.add({ ...adopt, petId: 7 }), 404, "pet_not_found"],
  ["a blank adopter", () => writing.add({ ...adopt, adopter: " " }), 400, "invalid_body"],
  ["an unknown adoption", () => reading.get("7"), 404, "adoption_not_found"]
])("refuses %s", async (_, call, status, code) => {
  await expect(call()).rejects.toMatchObject({ status, code })
})
