import { describe, expect, it } from "@effect/vitest"
import { collect, failure, forms } from "./support/Forms.ts"
import { answer, cut, cutChunks, hangUp, refuse, startProxy } from "./support/Proxy.ts"
import { startService } from "./support/Service.ts"

const keyOf = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) =>
  headers["idempotency-key"]

describe.each(forms)("a create with $form", ({ open }) => {
  const pet = { name: "Rex", categoryId: 1 }

  it("has a key: a random one, or the caller's", async () => {
    const proxy = await startProxy(await startService())
    const pets = open({ baseUrl: proxy.url })
    await pets.create(pet)
    await pets.create(pet)
    await pets.create(pet, { idempotencyKey: "order-17/b" })
    await pets.list()
    const [first, second, third, list] = proxy.requests.map(keyOf)
    expect(first).toMatch(/^"\d{1,10}(?:-\d{1,10}){3}"$/)
    expect(second).not.toBe(first)
    expect(third).toBe('"order-17/b"')
    expect(list).toBeUndefined()
  })

  it("is tried again with the same key", async () => {
    const faults = [refuse(503, "unavailable"), hangUp, refuse(429, "rate_limited")]
    const proxy = await startProxy(await startService(), faults)
    const pets = open({ baseUrl: proxy.url, retries: 3 })
    expect(await pets.create(pet)).toMatchObject({ id: 1n })
    expect(proxy.requests).toHaveLength(4)
    expect(new Set(proxy.requests.map(keyOf)).size).toBe(1)
  })

  it("makes no duplicate, though its answers get lost", async () => {
    const proxy = await startProxy(await startService(), [
      cut,
      cut,
      refuse(503, "unavailable"),
      cut
    ])
    const pets = open({ baseUrl: proxy.url, retries: 4 })
    const created = await pets.create(pet)
    expect(proxy.requests).toHaveLength(5)
    expect(await collect(pets.all())).toEqual([created])
  })

  it("is tried again if its 201 is cut by the connection, but not if the 201 is invalid", async () => {
    const invalid = answer(201, '{"id":1,"na')
    const proxy = await startProxy(await startService(), [invalid, cut, cutChunks])
    const pets = open({ baseUrl: proxy.url })
    expect(await failure(pets.create(pet))).toMatchObject({ code: "invalid_answer", status: 201 })
    expect(proxy.requests).toHaveLength(1)
    expect(await pets.create(pet)).toMatchObject({ id: 1n })
    expect(proxy.requests).toHaveLength(4)
  })

  it("can be repeated by the caller, with the same key", async () => {
    const proxy = await startProxy(await startService(), [cut])
    const pets = open({ baseUrl: proxy.url, retries: 0 })
    const idempotencyKey = "order-17/b"
    expect(await failure(pets.create(pet, { idempotencyKey }))).toMatchObject({
      code: "network_failure"
    })
    const created = await pets.create(pet, { idempotencyKey })
    expect(await pets.create({ ...pet, categoryId: 1n }, { idempotencyKey })).toEqual(created)
    const other = { ...pet, name: "Tom" }
    expect(await failure(pets.create(other, { idempotencyKey }))).toMatchObject({
      _tag: "IdempotencyKeyReused",
      code: "idempotency_key_reused",
      status: 422
    })
    expect(await collect(pets.all())).toEqual([created])
  })
})
