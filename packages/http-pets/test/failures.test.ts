/** A store that cannot answer: every operation is unavailable, and says no more than why. */
// Not `it.effect`: `layer` in another file replaces it for all that follow.
import { effect, expect, it } from "@effect/vitest"
import { ApiKeys } from "@petstore/access/ApiKeys"
import * as ApiKeyAuthentication from "@petstore/http-pets/ApiKeyAuthentication"
import { Authentication } from "@petstore/http-transport/Authentication"
import { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { Context, Effect, Layer } from "effect"
import { exchange } from "./support/Conformance.ts"
import { expectResponse, refusal } from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import { create, type Request } from "./support/Request.ts"

const secret = "SELECT secret FROM /var/lib/pets.db"
const pet = create('{"name":"n","categoryId":1}')
const operations: Readonly<Record<string, Request>> = {
  listPets: { target: "/v1/pets" },
  createPet: pet,
  "createPet with a key": { ...pet, headers: ["Idempotency-Key: k"] },
  getPet: { target: "/v1/pets/1" }
}

for (const reason of ["busy", "full", "damaged", "down"] as const) {
  const fail = () => new StoreUnavailable({ reason, cause: new Error(secret) })
  const store = Harness.storeWith(() => ({ add: fail, addOnce: fail, get: fail, list: fail }))
  it.scopedLive.each(Object.entries(operations))(
    `a store that is ${reason} makes %s unavailable`,
    ([, request]) =>
      Effect.gen(function* () {
        const headers = [`Retry-After: ${reason === "full" ? 30 : 1}`]
        const response = yield* exchange(request)
        expectResponse(response, refusal("unavailable", `the store is ${reason}`, headers))
        expect(JSON.stringify(response)).not.toContain("secret")
      }).pipe(Effect.provide(Harness.layer({ store })))
  )

  it.scopedLive(`a service whose store is ${reason} is not ready`, () =>
    Effect.gen(function* () {
      const { body, status } = yield* exchange({ target: "/readyz", key: null })
      expect([status, body]).toEqual([503, expect.stringContaining(`the store is ${reason}`)])
    }).pipe(Effect.provide(Harness.layer({ store })))
  )
}

effect("a service is not ready while its keys are not current", () => {
  const outdated = Layer.map(Harness.apiKeys, (context) =>
    Context.make(ApiKeys, { ...Context.get(context, ApiKeys), isCurrent: () => false })
  )
  return Effect.map(Authentication, ({ isReady }) => expect(isReady()).toBe(false)).pipe(
    Effect.provide(Layer.provide(ApiKeyAuthentication.layer, outdated))
  )
})
