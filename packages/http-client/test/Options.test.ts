/** What a client adds to its requests, and what its hooks see of them. */
import { readFileSync } from "node:fs"
import { afterEach, describe, expect, it, vi } from "@effect/vitest"
import {
  createPetStore,
  type Fetch,
  InvalidInput,
  type Options,
  type RequestDetails,
  type RetryDetails
} from "@petstore/http-client"
import { failure, keys, open, refuse, startProxy } from "./support/Clients.ts"

const pet = { name: "Rex", categoryId: 1 }

/** A `fetch` that notes the headers of its requests, and answers these statuses, then 200. */
const noting = (...statuses: ReadonlyArray<number>) => {
  const sent: Array<Headers> = []
  const fetch: Fetch = async (_, { headers }) => {
    const status = statuses[sent.length] ?? 200
    sent.push(headers)
    return Response.json(status === 200 ? [] : { code: "unavailable", message: "busy" }, { status })
  }
  return { sent, fetch, values: (name: string) => sent.map((headers) => headers.get(name)) }
}

describe("the client", () => {
  it("asks for its key once for each call, if the key is a function", async () => {
    const { fetch, values } = noting(503)
    let calls = 0
    const pets = open({ fetch, apiKey: () => `key-${++calls}` })
    await pets.list()
    await pets.list()
    const later = open({ fetch, apiKey: async () => "later" })
    await later.list()
    const expected = ["Bearer key-1", "Bearer key-1", "Bearer key-2", "Bearer later"]
    expect(values("authorization")).toEqual(expected)
  })

  it("sends nothing without a valid key, and fails with what the function throws", async () => {
    const { fetch, sent } = noting()
    const onRequest = vi.fn()
    const invalid = await failure(open({ fetch, onRequest, apiKey: () => "a key" }).list())
    expect(invalid).toEqual(new InvalidInput("apiKey must be non-empty text without spaces"))
    const reason = new Error("no key today")
    const broken = open({ fetch, onRequest, apiKey: () => Promise.reject(reason) })
    expect(await failure(broken.list())).toBe(reason)
    const never = open({ fetch, onRequest, apiKey: () => new Promise(() => {}) })
    expect(await failure(never.list({}, { timeout: 50 }))).toMatchObject({ code: "timed_out" })
    expect(sent).toEqual([])
    expect(onRequest).not.toHaveBeenCalled()
  })

  it("sends the headers of the client, unless the call has others", async () => {
    const { fetch, values } = noting()
    const pets = open({ fetch, headers: { "X-Team": "a", "x-tenant": "b" } })
    await pets.list()
    await pets.list({}, { headers: { "X-TEAM": "c" } })
    expect(values("x-team")).toEqual(["a", "c"])
    expect(values("x-tenant")).toEqual(["b", "b"])
  })

  it("refuses headers that cannot be set", async () => {
    const { fetch, sent } = noting()
    const pets = open({ fetch })
    for (const name of [
      ...["Authorization", "content-type", "Content-Length", "Content-Encoding"],
      ...["Idempotency-Key", "HOST", "Connection", "Transfer-Encoding"]
    ]) {
      const message = `headers must be valid: ${name} cannot be set`
      expect(await failure(pets.list({}, { headers: { [name]: "a" } }))).toMatchObject({
        code: "invalid_input",
        message
      })
      expect(() => open({ headers: { [name]: "a" } })).toThrow(message)
    }
    expect(sent).toEqual([])
  })

  it("shows each request to onRequest, which may change its headers, and each response", async () => {
    const proxy = await startProxy([refuse(503, "unavailable")])
    const requests: Array<RequestDetails> = []
    const responses: Array<readonly [number, RequestDetails]> = []
    const events: Array<string> = []
    const pets = open({
      baseUrl: proxy.url,
      onRequest: async (request) => {
        await new Promise(setImmediate)
        expect(request.headers.has("authorization")).toBe(false)
        request.headers.set("x-signature", `${request.method} ${request.body}`)
        request.headers.set("authorization", "Bearer other")
        requests.push(request)
        events.push("request")
      },
      onResponse: (response, request) => {
        // That of the client is still not shown.
        expect(request.headers.get("authorization")).toBe("Bearer other")
        responses.push([response.status, request])
        events.push("response")
      },
      onRetry: () => void events.push("retry")
    })
    const onResponse = () => void events.push("response of the call")
    await pets.add(pet, { idempotencyKey: "a", onResponse })
    const url = `${proxy.url}/v1/pets`
    const body = '{"name":"Rex","categoryId":1}'
    expect(requests).toMatchObject([
      { operation: "createPet", attempt: 1, method: "POST", url, body },
      { operation: "createPet", attempt: 2, method: "POST", url, body }
    ])
    expect(requests[1]?.headers.get("idempotency-key")).toBe('"a"')
    expect(responses).toEqual([
      [503, requests[0]],
      [201, requests[1]]
    ])
    const once = ["request", "response", "response of the call"]
    expect(events).toEqual([...once, "retry", ...once])
    const [, last] = proxy.requests
    expect(last?.headers).toMatchObject({
      authorization: `Bearer ${keys.all}`,
      "x-signature": `POST ${body}`
    })
  })

  it("tells onRetry why and when it tries again, and nothing about the last try", async () => {
    const { fetch } = noting(503, 503, 503)
    const retries: Array<RetryDetails> = []
    const pets = open({ fetch, onRetry: (retry) => void retries.push(retry) })
    expect(await failure(pets.list())).toMatchObject({ code: "unavailable" })
    expect(retries).toMatchObject([
      { operation: "listPets", attempt: 1, error: { code: "unavailable", status: 503 } },
      { operation: "listPets", attempt: 2, error: { code: "unavailable", status: 503 } }
    ])
    // The jitter of these clients is a fiftieth of the backoff, which doubles.
    expect(retries.map(({ delay }) => delay)).toEqual([10, 20])
    await failure(open({ fetch, onRetry: (retry) => void retries.push(retry) }).get(1))
    expect(retries).toHaveLength(2)
  })

  it.each(["onRequest", "onResponse", "onRetry"] as const)(
    "fails with what %s throws or rejects with, and does not try again",
    async (hook) => {
      const reason = new Error("a broken hook")
      const thrown: Partial<Options> = {
        [hook]: () => {
          throw reason
        }
      }
      for (const hooks of [thrown, { [hook]: () => Promise.reject(reason) }]) {
        const { fetch, sent } = noting(503, 503, 503)
        expect(await failure(open({ fetch, ...hooks }).list())).toBe(reason)
        expect(sent).toHaveLength(hook === "onRequest" ? 0 : 1)
      }
    }
  )

  it("fails with what the onResponse of a call rejects with", async () => {
    const reason = new Error("a broken hook")
    const { fetch } = noting()
    const onResponse = () => Promise.reject(reason)
    expect(await failure(open({ fetch }).list({}, { onResponse }))).toBe(reason)
  })

  it.each([
    [20, 1],
    [30, 0]
  ])("has 30 seconds by default: if it must wait for %i, %i retries", async (seconds, retries) => {
    const headers = { "Retry-After": String(seconds) }
    const fetch: Fetch = async () => Response.json({}, { status: 503, headers })
    const onRetry = vi.fn(() => Promise.reject(new Error("enough")))
    await failure(open({ fetch, onRetry }).list())
    expect(onRetry).toHaveBeenCalledTimes(retries)
  })

  it.each([
    ["onRequest", 0],
    ["onRetry", 1]
  ] as const)("does not go on if its time is over while %s runs", async (hook, requests) => {
    const { fetch, sent } = noting(503)
    const apiKey = vi.fn(() => "key")
    let resume = () => {}
    const wait = () =>
      new Promise<void>((resolve) => {
        resume = resolve
      })
    const pets = open({ fetch, apiKey, [hook]: wait })
    expect(await failure(pets.list({}, { timeout: 500 }))).toMatchObject({ code: "timed_out" })
    resume()
    await new Promise(setImmediate)
    expect(sent).toHaveLength(requests)
    expect(apiKey).toHaveBeenCalledTimes(1)
  })

  it("names itself and its version, unless the caller has another name", async () => {
    const { name, version } = JSON.parse(
      readFileSync(new URL("../package.json", import.meta.url), "utf8")
    )
    expect(name).toBe("@petstore/http-client")
    const { fetch, values } = noting()
    await open({ fetch }).list()
    await open({ fetch, headers: { "User-Agent": "shop/2" } }).list()
    expect(values("user-agent")).toEqual([`petstore-http-client/${version}`, "shop/2"])
  })
})

describe("createPetStore", () => {
  it("derives clients with other options", async () => {
    const { fetch, values } = noting()
    const first = createPetStore({
      baseUrl: "http://pets.test",
      apiKey: "a",
      headers: { "X-Team": "a" },
      fetch
    })
    const second = first.withOptions({ apiKey: "b", headers: { "X-Tenant": "b" } })
    for (const { pets } of [first, second]) await pets.list()
    expect(values("authorization")).toEqual(["Bearer a", "Bearer b"])
    expect(values("x-team")).toEqual(["a", null])
    expect(values("x-tenant")).toEqual([null, "b"])
    expect(() => first.withOptions({ timeout: 0 })).toThrow(InvalidInput)
  })
})

describe("in a browser", () => {
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.resetModules()
  })

  it("does not set the name that browsers set", async () => {
    vi.stubGlobal("location", new URL("http://shop.test"))
    vi.resetModules()
    const browser = await import("../src/PetStore.ts")
    const { fetch, values } = noting()
    await browser.createPetStore({ baseUrl: "http://pets.test", apiKey: "a", fetch }).pets.list()
    expect(values("user-agent")).toEqual([null])
  })

  it("refuses headers that scripts may not set, which browsers leave out", async () => {
    // As the headers of a request are in browsers.
    class BrowserRequest {
      readonly headers: Headers
      constructor(_: string, init: { readonly headers: Headers }) {
        const headers = new Headers(init.headers)
        const set = headers.set.bind(headers)
        const guarded = (name: string, value: string) =>
          name.toLowerCase() === "cookie" ? undefined : set(name, value)
        this.headers = Object.defineProperty(headers, "set", { value: guarded })
      }
    }
    vi.stubGlobal("Request", BrowserRequest)
    const { fetch, sent } = noting()
    const { pets } = createPetStore({ baseUrl: "http://pets.test", apiKey: "a", fetch })
    expect(await failure(pets.list({}, { headers: { Cookie: "a=1" } }))).toMatchObject({
      code: "invalid_input",
      message: "headers must be valid: Cookie cannot be set"
    })
    await pets.list({}, { headers: { "x-a": "1" } })
    expect(sent).toHaveLength(1)
  })
})
