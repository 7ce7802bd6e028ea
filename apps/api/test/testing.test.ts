/** The service as others start it in their tests. */
import { join } from "node:path"
import { describe, expect, expectTypeOf, it, vi } from "@effect/vitest"
import type { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import { PetStore } from "@petstore/domain/PetStore"
import { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as MemoryPetStore from "@petstore/store-memory/MemoryPetStore"
import { Effect, Layer, Scope } from "effect"
import { type Options, type RunningPetStore, startPetStore } from "../src/testing.ts"
import { folder } from "./support/Folder.ts"
import { live } from "./support/Live.ts"

const pet = '{"name":"Rex","categoryId":7}'

/** The status and the body of a request to `/v1/pets`, which adds a pet if there is a body. */
const call = async ({ apiKey, url }: RunningPetStore, body?: string) => {
  const response = await fetch(`${url}/v1/pets`, {
    method: body === undefined ? "GET" : "POST",
    headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" },
    ...(body !== undefined && { body })
  })
  return [response.status, await response.json()]
}

/** A store with some operations of its own. */
const ownStore = (operations: Partial<PetStore["Type"]>) =>
  Layer.effect(
    PetStore,
    Effect.map(PetStore, (store) => PetStore.of({ ...store, ...operations }))
  ).pipe(Layer.provide(MemoryPetStore.layer))

const refused = (url: string) => expect(fetch(url)).rejects.toThrow("fetch failed")

describe("a service in a test", () => {
  it("serves pets of memory, each service its own, with a new key", async () => {
    await using one = await startPetStore()
    await using other = await startPetStore()
    expect(one.apiKey).not.toBe(other.apiKey)
    expect(new URL(one.url).hostname).toBe("127.0.0.1")
    expect(await call(one, pet)).toEqual([201, { id: 1, name: "Rex", categoryId: 7 }])
    expect(await call(one)).toEqual([200, [{ id: 1, name: "Rex", categoryId: 7 }]])
    expect(await call(other)).toEqual([200, []])
    expect((await call({ ...one, apiKey: other.apiKey }))[0]).toBe(401)
  })

  it("accepts the key that it is given", async () => {
    await using service = await startPetStore({ apiKey: "my-key" })
    expect(service.apiKey).toBe("my-key")
    expect(await call(service)).toEqual([200, []])
  })

  it("refuses a key that no request can have, and a store that there is none of", async () => {
    await expect(startPetStore({ apiKey: "my key" })).rejects.toEqual(
      new TypeError("apiKey must be an API key without spaces")
    )
    await expect(startPetStore({ store: "mysql:" })).rejects.toEqual(
      new TypeError("store must be memory:, sqlite:<file> or postgres://<host>/<database>")
    )
    const newer: object = { _tag: "a layer of another library" }
    await expect(Reflect.apply(startPetStore, undefined, [{ store: newer }])).rejects.toEqual(
      new TypeError(
        "store must be a layer of Effect 3, or memory:, sqlite:<file> or postgres://<host>/<database>"
      )
    )
  })

  live("keeps pets in the database of a URL", function* () {
    const store = `sqlite:${join(yield* folder, "pets.db")}`
    yield* Effect.promise(async () => {
      const first = await startPetStore({ store })
      await call(first, pet)
      await first.stop()
      await using next = await startPetStore({ store })
      expect(await call(next)).toEqual([200, [{ id: 1, name: "Rex", categoryId: 7 }]])
    })
  })

  it("rejects with what to do about a database that cannot be used", async () => {
    await expect(startPetStore({ store: "sqlite:/dev/null/pets.db" })).rejects.toThrow(
      /^DATABASE_URL sqlite:\/dev\/null\/pets\.db cannot be used \(.*\): check that its file is there/
    )
  })
})

describe.sequential("a service in a test on a store of one's own", () => {
  it("serves it, and closes it when it stops", async () => {
    const closed = vi.fn()
    const closing = Effect.addFinalizer(() => Effect.sync(closed))
    const full = Effect.fail(new StoreUnavailable({ reason: "full" }))
    const store = Layer.merge(ownStore({ add: () => full }), Layer.scopedDiscard(closing))
    const service = await startPetStore({ store })
    expect(await call(service)).toEqual([200, []])
    expect((await call(service, pet))[0]).toBe(503)
    expect(closed).not.toHaveBeenCalled()
    await service.stop()
    expect(closed).toHaveBeenCalledOnce()
  })

  it("rejects with the error of the layer itself, and listens no more", async () => {
    const servers = () =>
      process.getActiveResourcesInfo().filter((name) => name === "TCPServerWrap").length
    const before = servers()
    const error = new StoreUnavailable({ reason: "damaged" })
    const opening = Effect.suspend(() => {
      expect(servers()).toBe(before + 1)
      return Effect.fail(error)
    })
    await expect(startPetStore({ store: Layer.effect(PetStore, opening) })).rejects.toBe(error)
    await vi.waitFor(() => expect(servers()).toBe(before))
  })

  it("has nothing on standard output, and the cause of a 500 on standard error", async () => {
    const stdout = vi.spyOn(console, "log")
    const stderr = vi.spyOn(console, "error").mockReturnValue()
    // Unlike those of `Effect.addFinalizer`, it does not run with the log of its layer.
    const chatty = Effect.flatMap(Effect.scope, (scope) =>
      Scope.addFinalizer(scope, Effect.logWarning("closing"))
    )
    const broken = ownStore({ add: () => Effect.dieMessage("the disk is on fire") })
    const service = await startPetStore({
      store: Layer.merge(broken, Layer.scopedDiscard(chatty))
    })
    expect((await call(service))[0]).toBe(200)
    expect((await call(service, pet))[0]).toBe(500)
    await service.stop()
    expect(stdout).not.toHaveBeenCalled()
    expect(stderr.mock.calls.flat().join("\n")).toMatch("the disk is on fire")
    vi.restoreAllMocks()
  })

  it("must provide PetStore and need nothing, or does not compile", () => {
    type Store = NonNullable<Options["store"]>
    expectTypeOf<Layer.Layer<PetStore | ApiKeyStore, StoreUnavailable>>().toExtend<Store>()
    expectTypeOf<Layer.Layer<ApiKeyStore>>().not.toExtend<Store>()
    expectTypeOf<Layer.Layer<PetStore, never, ApiKeyStore>>().not.toExtend<Store>()
  })
})

describe("the stop of a service in a test", () => {
  it("ends before idle connections would be closed, and refuses others", async () => {
    const { stop, url } = await startPetStore()
    // Its connection stays open.
    await (await fetch(`${url}/healthz`)).text()
    const grace = new Promise((resolve) => setTimeout(resolve, 1000, "grace"))
    expect(await Promise.race([stop().then(() => "stopped"), grace])).toBe("stopped")
    await refused(url)
  })

  it("answers 503 to a request that its store has not answered", async () => {
    const asked = vi.fn()
    const waiting = Effect.zipRight(Effect.sync(asked), Effect.never)
    const service = await startPetStore({ store: ownStore({ list: () => waiting }) })
    const answer = call(service)
    await vi.waitFor(() => expect(asked).toHaveBeenCalled(), { timeout: 20_000 })
    await service.stop()
    expect((await answer)[0]).toBe(503)
  })

  it("may be asked for again, also by the end of a block", async () => {
    let url: string
    {
      await using service = await startPetStore()
      url = service.url
      await service.stop()
    }
    await refused(url)
  })
})
