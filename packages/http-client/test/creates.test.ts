import { describe, expect, it } from "@effect/vitest"
import { makeFakePetStore } from "@petstore/http-client/testing"
import { collect, failure, forms } from "./support/Forms.ts"
import { cut, hangUp, refuse, startProxy, type Upstream } from "./support/Proxy.ts"
import { startService } from "./support/Service.ts"

const keyOf = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) =>
  headers["idempotency-key"]

describe.each(forms)("a create with $form", ({ open }) => {
  const pet = { name: "Rex", categoryId: 1 }

  it("has a key: a new UUID, or the caller's", async () => {
    const proxy = await startProxy(await startService())
    const pets = open({ baseUrl: proxy.url })
    await pets.create(pet)
    await pets.create(pet)
    await pets.create(pet, { idempotencyKey: "order-17/b" })
    await pets.list()
    const [first, second, third, list] = proxy.requests.map(keyOf)
    expect(first).toMatch(/^"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"$/)
    expect(second).not.toBe(first)
    expect(third).toBe('"order-17/b"')
    expect(list).toBeUndefined()
  })

  it("is not tried again while the service may not recognise its key", async () => {
    const faults = [refuse(503, "unavailable"), refuse(429, "rate_limited"), hangUp, cut]
    const proxy = await startProxy(await startService(), faults)
    const pets = open({ baseUrl: proxy.url })
    for (const code of ["unavailable", "rate_limited", "network_failure", "network_failure"]) {
      expect(await failure(pets.create(pet))).toMatchObject({ code })
    }
    expect(proxy.requests).toHaveLength(4)
    // The one whose answer was cut.
    expect(await collect(pets.all())).toHaveLength(1)
  })

  it("is tried again with the same key once the service does", async () => {
    const proxy = await startProxy(await startService(), [refuse(503, "unavailable"), hangUp])
    const pets = open({ baseUrl: proxy.url }, { retriesCreates: true })
    expect(await pets.create(pet)).toMatchObject({ id: 1n })
    expect(proxy.requests).toHaveLength(3)
    expect(new Set(proxy.requests.map(keyOf)).size).toBe(1)
  })

  it("makes no duplicate, though its answers get lost", async () => {
    const fake = makeFakePetStore()
    const upstream: Upstream = (path, { body, headers, method }) =>
      fake.fetch(`http://pets.test${path}`, {
        method: String(method),
        headers: new Headers(headers),
        ...(typeof body === "string" && { body }),
        redirect: "error",
        signal: new AbortController().signal
      })
    const proxy = await startProxy(upstream, [cut, cut, refuse(503, "unavailable"), cut])
    const pets = open({ baseUrl: proxy.url, retries: 4 }, { retriesCreates: true })
    const created = await pets.create(pet)
    expect(proxy.requests).toHaveLength(5)
    expect(await collect(pets.all())).toEqual([created])
  })
})
