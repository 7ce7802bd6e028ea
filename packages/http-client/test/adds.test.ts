import { describe, expect, it } from "@effect/vitest"
import { collect, failure, open } from "./support/Clients.ts"
import { answer, cut, cutChunks, hangUp, refuse, startProxy } from "./support/Proxy.ts"

const keyOf = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) =>
  headers["idempotency-key"]

describe("an addition", () => {
  const pet = { name: "Rex", categoryId: 1 }

  it("has a key: a random one, or the caller's", async () => {
    const proxy = await startProxy()
    const pets = open({ baseUrl: proxy.url })
    await pets.add(pet)
    await pets.add(pet)
    const idempotencyKey = "!#[]~".repeat(51)
    await pets.add(pet, { idempotencyKey })
    await pets.list()
    const [first, second, third, list] = proxy.requests.map(keyOf)
    expect(first).toMatch(/^"\d{1,10}(?:-\d{1,10}){3}"$/)
    expect(second).not.toBe(first)
    expect(third).toBe(`"${idempotencyKey}"`)
    expect(list).toBeUndefined()
  })

  it("is tried again with the same key, and makes no duplicate, though its answers get lost", async () => {
    const faults = [cut, refuse(503, "unavailable"), hangUp, cutChunks, refuse(429, "rate_limited")]
    const proxy = await startProxy(faults)
    const pets = open({ baseUrl: proxy.url, retries: 5 })
    const added = await pets.add(pet)
    expect(proxy.requests).toHaveLength(6)
    expect(new Set(proxy.requests.map(keyOf)).size).toBe(1)
    expect(await collect(pets.all())).toEqual([added])
  })

  it("is not tried again if its 201 is invalid", async () => {
    const proxy = await startProxy([answer(201, '{"id":1,"na')])
    const pets = open({ baseUrl: proxy.url })
    expect(await failure(pets.add(pet))).toMatchObject({ code: "invalid_answer", status: 201 })
    expect(proxy.requests).toHaveLength(1)
  })

  it("can be repeated by the caller, with the same key", async () => {
    const proxy = await startProxy([cut])
    const pets = open({ baseUrl: proxy.url, retries: 0 })
    const idempotencyKey = "order-17/b"
    expect(await failure(pets.add(pet, { idempotencyKey }))).toMatchObject({
      code: "network_failure"
    })
    const added = await pets.add(pet, { idempotencyKey })
    expect(await pets.add({ ...pet, categoryId: 1n }, { idempotencyKey })).toEqual(added)
    const other = { ...pet, name: "Tom" }
    expect(await failure(pets.add(other, { idempotencyKey }))).toMatchObject({
      _tag: "IdempotencyKeyReused",
      code: "idempotency_key_reused",
      status: 422
    })
    expect(await collect(pets.all())).toEqual([added])
  })
})
