/** What a caller gets besides a result. */
import { describe, expect, it } from "@effect/vitest"
import { createPetStore, InvalidInput, isPetStoreError, type Options } from "@petstore/http-client"
import { failure, open } from "./support/Clients.ts"
import { keys, refuse, startProxy } from "./support/Proxy.ts"

const pet = { name: "Rex", categoryId: 1 }

describe("a result with its response", () => {
  it("has the request id, the headers, and whether the answer was replayed", async () => {
    const { url: baseUrl } = await startProxy()
    const { pets } = createPetStore({ baseUrl, apiKey: keys.all })
    const headers = { "X-Request-Id": "first" }
    const options = { idempotencyKey: "a", headers }
    const added = await pets.add(pet, options).withResponse()
    expect(added).toMatchObject({ data: { id: 1n }, requestId: "first", replayed: false })
    expect(added.response.status).toBe(201)
    expect(added.response.headers.get("location")).toBe("/v1/pets/1")
    const again = await pets.add(pet, options).withResponse()
    expect(again).toMatchObject({ data: added.data, replayed: true })
    const listed = pets.list({ limit: 1 })
    expect(await listed.withResponse()).toMatchObject({
      data: { pets: [{ id: 1n }] },
      requestId: expect.stringMatching(/./)
    })
    expect((await listed.withResponse()).data).toBe(await listed)
  })

  it("fails as the result does, and only once", async () => {
    const unhandled: Array<unknown> = []
    const note = (error: unknown) => void unhandled.push(error)
    process.on("unhandledRejection", note)
    const fetch = () => Promise.reject(new Error("no network"))
    const client = createPetStore({
      ...{ baseUrl: "http://pets.test", apiKey: "key" },
      ...{ fetch, retries: 0 }
    })
    for (const call of [client.pets.add(pet), client.pets.list()])
      expect(await failure(call.withResponse())).toMatchObject({ code: "network_failure" })
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
    process.off("unhandledRejection", note)
    expect(unhandled).toEqual([])
  })
})

describe("an error", () => {
  it("has the headers of the answer", async () => {
    const { url: baseUrl } = await startProxy([refuse(403, "forbidden", { "X-Team": "a" })])
    const error = await failure(open({ baseUrl }).list())
    if (!isPetStoreError(error)) throw error
    expect([error.code, error.headers?.get("x-team")]).toEqual(["forbidden", "a"])
  })
})

describe("createPetStore", () => {
  it.each([
    [undefined, "baseUrl must be a URL such as https://example.org/v1"],
    [{}, "baseUrl must be a URL such as https://example.org/v1"],
    [{ baseUrl: "http://pets.test" }, "apiKey must be non-empty text without spaces"]
  ])("says what is missing: %j", (options, message) => {
    expect(() => createPetStore(options as Options)).toThrow(new InvalidInput(message))
  })

  it("sends requests that it has no method for, with the same retries, errors and options", async () => {
    const { requests, url: baseUrl } = await startProxy([refuse(503, "unavailable")])
    const { request } = createPetStore({ baseUrl, apiKey: keys.all })
    const raw = { name: "raw", path: "/pets", decode: (body: unknown) => body }
    expect(await request(raw)).toEqual([])
    expect(requests).toHaveLength(2)
    const nowhere = { ...raw, path: "/nowhere" }
    expect(await failure(request(nowhere))).toMatchObject({ code: "not_found" })
    const signal = AbortSignal.abort(new Error("enough"))
    expect(await failure(request(raw, { signal }))).toBe(signal.reason)
  })
})
