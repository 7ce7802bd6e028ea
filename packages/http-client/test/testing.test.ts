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
