import {
  FetchHttpClient,
  HttpClient,
  HttpClientError,
  HttpClientRequest,
  HttpClientResponse
} from "@effect/platform"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import {
  type Failure,
  layer,
  PetStoreClient,
  type PetStoreError
} from "@petstore/http-client/effect"
import { layerHttpClient } from "@petstore/http-client/platform"
import * as FakePetStore from "@petstore/http-pets/FakePetStore"
import { Effect, Layer, Redacted } from "effect"
import { keys, startProxy } from "./support/Proxy.ts"

const apiKey = Redacted.make(keys.all)
const pet = { name: "Rex", categoryId: 1 }

describe("layerHttpClient", () => {
  const open = (
    baseUrl: string,
    change: (client: HttpClient.HttpClient) => HttpClient.HttpClient
  ) =>
    Effect.provide(
      PetStoreClient,
      layerHttpClient({ baseUrl, apiKey }).pipe(
        Layer.provide(
          Layer.effect(HttpClient.HttpClient, Effect.map(HttpClient.HttpClient, change))
        ),
        Layer.provide(FetchHttpClient.layer)
      )
    )

  it.effect("sends by the HttpClient of the caller, with what that one adds", () =>
    Effect.gen(function* () {
      const proxy = yield* Effect.promise(() => startProxy())
      const { pets } = yield* open(
        proxy.url,
        HttpClient.mapRequest(HttpClientRequest.setHeader("x-request-id", "mine"))
      )
      const created = yield* pets.add(pet)
      expect(yield* pets.get(created.id)).toEqual(created)
      expect(proxy.requests.map(({ headers }) => headers["x-request-id"])).toEqual(["mine", "mine"])
      const trace = proxy.requests[0]?.headers["traceparent"]
      expect(trace).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
    })
  )

  it.effect("has the errors of the service, though the HttpClient accepts no status of them", () =>
    Effect.gen(function* () {
      const { url } = yield* Effect.promise(() => startProxy())
      const { pets } = yield* open(url, HttpClient.filterStatusOk)
      expect(yield* Effect.flip(pets.get(7))).toMatchObject({
        code: "pet_not_found",
        message: "there is no pet 7"
      })
    })
  )

  it.effect("takes a failure of the HttpClient for one of the network", () =>
    Effect.gen(function* () {
      const failing = HttpClient.make((request) =>
        Effect.fail(
          new HttpClientError.RequestError({
            request,
            reason: "Transport",
            cause: new Error("cut")
          })
        )
      )
      const { pets } = yield* open("http://pets.test", () => failing)
      expect(yield* Effect.flip(pets.list({}, { retries: 0 }))).toMatchObject({
        code: "network_failure",
        message: "http://pets.test/v1 did not answer: cut",
        cause: { _tag: "RequestError" }
      })
      const undecoded = HttpClient.make((request) => {
        const response = HttpClientResponse.fromWeb(request, Response.json([]))
        const [reason, cause] = ["Decode", new Error("odd")] as const
        return Effect.fail(new HttpClientError.ResponseError({ request, response, reason, cause }))
      })
      const { pets: others } = yield* open("http://pets.test", () => undecoded)
      expect(yield* Effect.flip(others.list({}, { retries: 0 }))).toMatchObject({
        code: "network_failure",
        message: "http://pets.test/v1 did not answer: odd"
      })
    })
  )
})

describe("a call with Effect", () => {
  it("is typed by the errors that it can have", () => {
    type Errors<Name extends "get" | "add" | "list"> = Effect.Effect.Error<
      ReturnType<PetStoreClient["Type"]["pets"][Name]>
    >
    expectTypeOf<Extract<Errors<"get">["code"], "pet_not_found">>().toEqualTypeOf<"pet_not_found">()
    expectTypeOf<Extract<Errors<"list">["code"], "pet_not_found">>().toEqualTypeOf<never>()
    expectTypeOf<Extract<Errors<"add">["code"], "gone">>().toEqualTypeOf<never>()
    expectTypeOf<Errors<"add" | "get" | "list">>().toEqualTypeOf<PetStoreError>()
    expectTypeOf<Errors<"list">>().toExtend<Failure<string>>()
  })

  it.effect("fails with an UnknownError if the answer has the error of another operation", () =>
    Effect.gen(function* () {
      const fake = FakePetStore.make()
      const client = layer({ ...fake, apiKey })
      const { pets } = yield* Effect.provide(PetStoreClient, client)
      for (const [call, code] of [
        [pets.list(), "pet_not_found"],
        [pets.get(1), "invalid_body"],
        [pets.add(pet), "gone"]
      ] as const) {
        fake.failNext(code)
        expect(yield* Effect.flip<unknown, unknown, never>(call)).toMatchObject({
          code: "unknown_error",
          message: `${code}: made to fail`,
          requestId: expect.any(String)
        })
      }
      fake.failNext("gone")
      expect(yield* Effect.flip(pets.get(1))).toMatchObject({ code: "gone", status: 410 })
    })
  )
})
