import { describe, expect, it } from "@effect/vitest"
import { createFakePetStore, type FakePetStore } from "@petstore/http-client/testing"
import { suites as fields } from "../../http-pets/test/cases/fields.ts"
import { suites as requests } from "../../http-pets/test/cases/requests.ts"
import type { Expected } from "../../http-pets/test/support/Expected.ts"
import { keys, type Request as Sent } from "../../http-pets/test/support/Request.ts"
import type { Suite } from "../../http-pets/test/support/Suites.ts"

const tables: ReadonlyArray<Suite> = [...fields, ...requests]

const origin = "http://pets.test"
const urlOf = ({ target }: Sent) => (target.startsWith("/") ? origin + target : target)

/** Whether `fetch` cannot send a path: a URL cannot have it, or changes it. */
const isAbsent = (request: Sent): boolean => {
  const [path = ""] = urlOf(request)
    .replace(/^https?:\/\/[^/?]*/i, "")
    .split("?")
  return !URL.canParse(urlOf(request)) || new URL(urlOf(request)).pathname !== path
}

const initOf = ({ body, headers = [], key = keys.all, method, type }: Sent): RequestInit => {
  const sent = new Headers(key === null ? {} : { authorization: `Bearer ${key}` })
  if (body !== undefined && type !== null) sent.set("content-type", type ?? "application/json")
  for (const line of headers) {
    const [, name = "", value = ""] = /^([^:]+):(.*)$/s.exec(line) ?? []
    sent.append(name, value)
  }
  // Otherwise `fetch` says that a text is one.
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body
  return { method: method ?? "GET", headers: sent, ...(bytes && { body: new Blob([bytes]) }) }
}

/** The lines of an answer, without those of the connection; `fetch` writes their names in small letters. */
const linesOf = (headers: ReadonlyArray<string>) =>
  headers
    .filter((line) => !/^(?:connection|keep-alive|date):/i.test(line))
    .map((line) => line.replace(/^[\w-]+/, (name) => name.toLowerCase()))
    .sort()

describe("the fake", () => {
  let count = 0
  for (const { cases, title } of tables) {
    const sent = cases.filter(([, request]) => !isAbsent(request))
    count += sent.length
    if (sent.length === 0) continue
    it(`answers as the service does: ${title}`, async () => {
      const { fetch } = createFakePetStore({
        apiKeys: {
          [keys.all]: ["pets:read", "pets:write"],
          [keys.read]: ["pets:read"],
          [keys.write]: ["pets:write"]
        }
      })
      let added = 0
      for (const [name, request, answer] of sent) {
        const response = await fetch(urlOf(request), initOf(request))
        const expected: Expected = typeof answer === "function" ? answer(added + 1) : answer
        const isNew = expected.headers.includes("X-Request-Id: (new)")
        const headers = [...response.headers].map(([name, value]) => {
          if (name === "x-request-id" && isNew) return `${name}: (new)`
          return name === "etag" ? `${name}: W/"(tag)"` : `${name}: ${value}`
        })
        expect([name, response.status, await response.text(), linesOf(headers)]).toEqual([
          ...[name, expected.status, expected.body, linesOf(expected.headers)]
        ])
        if (response.status === 201) added++
      }
      const all = await fetch(`${origin}/v1/pets?limit=100`, initOf({ target: "" }))
      expect(await all.json()).toHaveLength(added)
    })
  }

  it("gets nearly all requests of the tables", () => {
    const all = tables.flatMap(({ cases }) => cases)
    expect(count / all.length).toBeGreaterThan(0.9)
  })

  const headers = { authorization: "Bearer any" }
  const pet = { name: "Rex", categoryId: 1 }

  it("makes stores that are separate, with the pets that are given", async () => {
    const list = async ({ baseUrl, fetch }: FakePetStore) =>
      (await fetch(`${baseUrl}/v1/pets`, { headers })).json()
    const pets = [
      { ...pet, categoryId: 3n },
      { ...pet, status: "sold" as const },
      { ...pet, status: undefined }
    ]
    expect(await list(createFakePetStore({ pets }))).toEqual([
      { id: 1, ...pet, categoryId: 3 },
      { id: 2, ...pet, status: "sold" },
      { id: 3, ...pet }
    ])
    expect(await list(createFakePetStore())).toEqual([])
    expect(() => createFakePetStore({ pets: [{ ...pet, name: "" }] })).toThrow("name")
  })

  it("notes its requests, and fails as often as requested", async () => {
    const { apiKey, failNext, fetch, requests } = createFakePetStore()
    const statusOf = async (init?: RequestInit) =>
      (await fetch(`${origin}/v1/pets?limit=5`, { headers, ...init })).status
    failNext("unavailable", 2)
    failNext("rate_limited")
    const body = JSON.stringify(pet)
    const refused = await fetch(`${origin}/v1/pets?limit=5`, { headers, method: "POST", body })
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"])
    expect([await statusOf(), await statusOf(), await statusOf()]).toEqual([503, 429, 200])
    failNext("gone")
    const answer = await fetch(`${origin}/v1/pets`, { headers: { "X-Request-Id": "mine" } })
    expect(await answer.json()).toEqual({ code: "gone", message: "made to fail", status: 410 })
    expect(Object.fromEntries(answer.headers)).toEqual({
      "cache-control": "no-store",
      "content-type": "application/json",
      "x-content-type-options": "nosniff",
      "x-request-id": "mine"
    })
    failNext("gone", 2)
    const idOf = async () => (await fetch(`${origin}/v1/pets`)).headers.get("x-request-id")
    expect(await idOf()).not.toBe(await idOf())
    const url = `${origin}/v1/pets?limit=5`
    expect(requests.slice(0, 2)).toMatchObject([
      { method: "POST", url, body },
      { method: "GET", url, body: "" }
    ])
    expect(requests[0]?.headers.get("authorization")).toBe("Bearer any")
    expect([requests.length, apiKey]).toEqual([7, "fake"])
  })

  it("keeps the idempotency keys of its keys apart, as the service does", async () => {
    const { fetch } = createFakePetStore()
    const add = async (key: string) => {
      const sent = { authorization: `Bearer ${key}`, "idempotency-key": "k" }
      const init = { method: "POST", body: JSON.stringify(pet) }
      const headers = { ...sent, "content-type": "application/json" }
      return (await fetch(`${origin}/v1/pets`, { ...init, headers })).headers.get("location")
    }
    expect([await add("a"), await add("a"), await add("b")]).toEqual([
      "/v1/pets/1",
      "/v1/pets/1",
      "/v1/pets/2"
    ])
  })

  it("loses requests and keeps callers waiting, as networks do", async () => {
    const { failNext, fetch } = createFakePetStore()
    failNext("network_failure")
    await expect(fetch(`${origin}/v1/pets`)).rejects.toThrow("fetch failed")
    failNext("timed_out")
    const controller = new AbortController()
    const { signal } = controller
    const waiting = fetch(`${origin}/v1/pets`, { signal })
    setTimeout(() => controller.abort(new Error("enough")))
    await expect(waiting).rejects.toThrow("enough")
    await expect(fetch(`${origin}/v1/pets`, { signal })).rejects.toThrow("enough")
    failNext("timed_out")
    const early = new AbortController()
    const hasty = fetch(`${origin}/v1/pets`, { signal: early.signal })
    early.abort(new Error("at once"))
    await expect(hasty).rejects.toThrow("at once")
  })

  it("is at the path of its address, with its first key", async () => {
    for (const baseUrl of ["http://pets.test/shop", "http://pets.test/shop/v1//"]) {
      const apiKeys = { mine: ["pets:write"] as const }
      const { apiKey, fetch } = createFakePetStore({ baseUrl, apiKeys })
      const added = await fetch("http://pets.test/shop/v1/pets", {
        method: "POST",
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        body: JSON.stringify(pet)
      })
      expect([added.status, added.headers.get("location")]).toEqual([201, "/shop/v1/pets/1"])
      expect((await fetch("http://pets.test/shop/readyz")).status).toBe(200)
      for (const other of ["http://pets.test/v1/pets", "http://pets.test/shopping/v1/pets"])
        expect((await fetch(other)).status).toBe(404)
    }
  })

  it("accepts no key if none is given, and sees no request that was aborted before", async () => {
    const { fetch, requests } = createFakePetStore({ apiKeys: {} })
    expect((await fetch(`${origin}/v1/pets`, { headers })).status).toBe(401)
    await expect(
      fetch(`${origin}/v1/pets`, { signal: AbortSignal.abort(new Error("enough")) })
    ).rejects.toThrow("enough")
    expect(requests).toHaveLength(1)
  })
})
