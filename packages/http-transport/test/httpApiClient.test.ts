/** The platform's own client, which is derived from the same contract. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpApiClient from "@effect/platform/HttpApiClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { expect } from "@effect/vitest"
import * as WebHandler from "@petstore/http-transport/WebHandler"
import { Effect, Layer } from "effect"
import * as Harness from "./support/Harness.ts"
import { keys } from "./support/Request.ts"
import { live } from "./support/Served.ts"
import * as Things from "./support/Things.ts"
import { ThingsApi } from "./support/ThingsApi.ts"

const client = Effect.gen(function* () {
  const handler = WebHandler.make(
    Harness.api(),
    Layer.merge(Things.layer(), Harness.authentication)
  )
  const fetch: typeof globalThis.fetch = (url, init) => handler(new Request(url, init))
  return yield* HttpApiClient.make(ThingsApi, {
    baseUrl: "http://things.example.org",
    transformClient: HttpClient.mapRequest(HttpClientRequest.bearerToken(keys.all))
  }).pipe(
    Effect.provide(FetchHttpClient.layer),
    Effect.provideService(FetchHttpClient.Fetch, fetch)
  )
})

live("calls every operation, with ids in paths and in queries", function* () {
  const { things } = yield* client
  const added = yield* things.addThing({ payload: { name: "n", count: 3n } })
  const next = yield* things.addThing({ payload: { name: "m", count: 4n } })
  expect(added).toEqual({ id: 1n, name: "n", count: 3n })
  const path = { thingId: added.id }
  expect(yield* things.getThing({ path })).toEqual(added)
  expect(yield* things.listThings({ urlParams: { limit: 1 } })).toEqual([added])
  expect(yield* things.listThings({ urlParams: { limit: 5, cursor: added.id } })).toEqual([next])
  yield* things.removeThing({ path, headers: { "if-match": 3 } })
  const { body } = yield* Effect.map(Effect.either(things.getThing({ path })), (found) => ({
    body: found._tag === "Left" ? found.left : undefined
  }))
  expect(body).toMatchObject({ code: "thing_not_found", status: 404 })
})
