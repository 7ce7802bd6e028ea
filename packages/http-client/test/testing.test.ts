import { describe, expect, it } from "@effect/vitest"
import { layer, PetStoreClient } from "@petstore/http-client/effect"
import { makeFakePetStore } from "@petstore/http-client/testing"
import { Effect, Redacted } from "effect"
import { collect, failure } from "./support/Forms.ts"

const pet = { name: "Rex", categoryId: 1 }

describe("makeFakePetStore", () => {
  it("makes stores that are empty and separate", async () => {
    const { pets } = makeFakePetStore()
    await pets.create(pet)
    expect(await collect(pets.list())).toHaveLength(1)
    expect(await collect(makeFakePetStore().pets.list())).toEqual([])
  })

  it("fails as often as requested", async () => {
    const { failNext, pets } = makeFakePetStore()
    failNext("unavailable", 2)
    failNext("rate_limited")
    expect(await failure(pets.list())).toMatchObject({ code: "unavailable", status: 503 })
    expect(await failure(pets.create(pet))).toMatchObject({ code: "unavailable" })
    expect(await failure(pets.list())).toMatchObject({ code: "rate_limited", status: 429 })
    expect(await pets.list()).toEqual({ pets: [], next: undefined })
  })

  it("retries if it is configured to", async () => {
    const { failNext, pets } = makeFakePetStore({ retries: 1 })
    failNext("unavailable")
    expect(await pets.list()).toEqual({ pets: [], next: undefined })
  })

  it("recognises a repeated create", async () => {
    const { pets } = makeFakePetStore()
    const first = await pets.create(pet, { idempotencyKey: "a" })
    expect(await pets.create(pet, { idempotencyKey: "a" })).toEqual(first)
    expect(await pets.create(pet, { idempotencyKey: "b" })).toMatchObject({ id: 2n })
    const other = pets.create({ ...pet, name: "Tom" }, { idempotencyKey: "a" })
    expect(await failure(other)).toMatchObject({ status: 422 })
  })

  it("has pets at first, if they are given", async () => {
    const seeds = [
      { name: "Ida", categoryId: 3 },
      { ...pet, status: "sold" as const }
    ]
    const { pets } = makeFakePetStore({ pets: seeds })
    expect(await collect(pets.list({ limit: 1 }))).toEqual([
      { id: 1n, name: "Ida", categoryId: 3n },
      { id: 2n, name: "Rex", categoryId: 1n, status: "sold" }
    ])
    expect(await pets.create(pet)).toMatchObject({ id: 3n })
    expect(() => makeFakePetStore({ pets: [{ ...pet, name: "" }] })).toThrow(
      "name must not be empty"
    )
  })

  it("notes the requests that it got", async () => {
    const { failNext, pets, requests } = makeFakePetStore({ apiKey: "mine" })
    expect(requests).toEqual([])
    await pets.create(pet, { idempotencyKey: "a" })
    failNext("unavailable")
    await failure(pets.list({ limit: 5 }))
    expect(requests.map(({ body, method, url }) => [method, url, body])).toEqual([
      ["POST", "http://pets.test/v1/pets", '{"name":"Rex","categoryId":1}'],
      ["GET", "http://pets.test/v1/pets?limit=5", ""]
    ])
    expect(requests.map(({ headers }) => headers.get("authorization"))).toEqual(
      Array(2).fill("Bearer mine")
    )
    expect(requests[0]?.headers.get("idempotency-key")).toBe('"a"')
  })

  it("loses requests and keeps callers waiting, as networks do", async () => {
    const { failNext, pets } = makeFakePetStore()
    failNext("network_failure")
    expect(await failure(pets.create(pet))).toMatchObject({
      code: "network_failure",
      message: "no answer from http://pets.test/v1: made to fail"
    })
    failNext("timed_out")
    expect(await failure(pets.create(pet, { timeout: 50 }))).toMatchObject({ code: "timed_out" })
    const reason = new Error("enough")
    failNext("timed_out")
    const controller = new AbortController()
    const aborted = failure(pets.create(pet, { signal: controller.signal }))
    setTimeout(() => controller.abort(reason))
    expect(await aborted).toBe(reason)
    expect(await collect(pets.list())).toEqual([])
  })

  it("accepts the keys that it is given, with their scopes", async () => {
    const { pets, withOptions } = makeFakePetStore({
      apiKeys: { all: ["pets:read", "pets:write"], reader: ["pets:read"] }
    })
    await pets.create(pet)
    const reader = withOptions({ apiKey: "reader" })
    expect(await collect(reader.pets.list())).toHaveLength(1)
    expect(await failure(reader.pets.create(pet))).toMatchObject({ code: "forbidden" })
    const other = withOptions({ apiKey: "other" })
    expect(await failure(other.pets.list())).toMatchObject({ code: "unauthorized" })
  })

  it("is at the path of its address", async () => {
    const { fetch, pets, requests } = makeFakePetStore({ baseUrl: "http://pets.test/shop" })
    for (let n = 0; n < 3; n++) await pets.create(pet)
    expect(await collect(pets.list({ limit: 1 }))).toHaveLength(3)
    expect(requests[0]?.url).toBe("http://pets.test/shop/v1/pets")
    expect((await fetch("http://pets.test/shop/healthz")).status).toBe(200)
    expect((await fetch("http://pets.test/v1/pets")).status).toBe(404)
  })

  it.effect("is a store for the client with Effect, too", () =>
    Effect.gen(function* () {
      const fake = makeFakePetStore()
      const client = layer({
        baseUrl: "http://pets.test",
        apiKey: Redacted.make("key"),
        fetch: fake.fetch
      })
      const created = yield* Effect.flatMap(PetStoreClient, ({ pets }) => pets.create(pet)).pipe(
        Effect.provide(client)
      )
      expect(yield* Effect.promise(() => collect(fake.pets.list()))).toEqual([created])
    })
  )
})
