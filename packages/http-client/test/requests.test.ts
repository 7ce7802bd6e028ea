/** Requests that the client has no method for, and the pages of its lists. */
import { describe, expect, it } from "@effect/vitest"
import { createPetStore, type Fetch, type FetchInit } from "@petstore/http-client"
import { collect, failure } from "./support/Clients.ts"

/** A `fetch` that gives these answers, and notes the requests. */
const answering = (...answers: ReadonlyArray<() => Response>) => {
  const seen: Array<FetchInit & { readonly url: string }> = []
  const fetch: Fetch = async (url, init) => {
    seen.push({ ...init, url })
    const answer = answers[seen.length - 1]
    if (!answer) throw new Error("no network")
    return answer()
  }
  const client = createPetStore({ baseUrl: "http://pets.test", apiKey: "key", fetch })
  return { ...client, seen, urls: () => seen.map(({ url }) => url) }
}
const unavailable = () => Response.json({ code: "unavailable", message: "busy" }, { status: 503 })
const any = { name: "any", path: "/any", decode: (body: unknown) => body }

describe("a request", () => {
  it("has numbers wherever a number is exact, whatever else is in the answer", async () => {
    const body = '{"small":7,"safe":1700000000000000,"large":9007199254740993,"half":0.5}'
    const { request } = answering(() => new Response(body))
    const large = 9007199254740993n
    expect(await request(any)).toEqual({ small: 7, safe: 1700000000000000, large, half: 0.5 })
  })

  it.each([
    ["PUT", true],
    ["DELETE", true],
    ["PATCH", false],
    ["POST", false]
  ] as const)("by %s is repeated without an idempotency key: %s", async (method, isRepeated) => {
    // After an answer, and after none.
    for (const answers of [[unavailable], []]) {
      const { withOptions } = answering(...answers)
      const retried = new Error("tried again")
      const { request } = withOptions({ onRetry: () => Promise.reject(retried) })
      const error = await failure(request({ ...any, method }))
      expect(error === retried).toBe(isRepeated)
    }
  })

  it("by POST is repeated with an idempotency key, unless that is empty", async () => {
    for (const [idempotencyKey, sent] of [
      ["a", ['"a"', '"a"']],
      ["", [null]]
    ] as const) {
      const { request, seen } = answering(unavailable, () => new Response("{}"))
      await failure(
        request({ ...any, method: "POST", idempotencyKey }).then(() => Promise.reject())
      )
      expect(seen.map(({ headers }) => headers.get("idempotency-key"))).toEqual(sent)
    }
  })

  it("has an empty text for an answer without a body", async () => {
    const { request } = answering(() => new Response(null, { status: 204 }))
    expect(await request({ ...any, method: "DELETE" })).toBe("")
  })
})

describe("a list", () => {
  const pageOf = (id: number, link: string) => () =>
    Response.json([{ id, name: "a", categoryId: 1 }], { headers: { link } })
  const last = pageOf(2, '</v1/pets?limit=1&cursor=b>; rel="current"')

  it.each([
    '</v1/pets?limit=1&cursor=a%2Bb>; rel="next"',
    '</v1/pets?cursor=1>; rel="prev", </pets?limit=1&cursor=a%2Bb>;rel=next'
  ])("goes on from page to page by the link %s", async (link) => {
    const urls = [
      "http://pets.test/v1/pets?limit=1",
      "http://pets.test/v1/pets?limit=1&cursor=a%2Bb"
    ]
    const walk = answering(pageOf(1, link), last)
    const ids = (await collect(walk.pets.list({ limit: 1 }))).map(({ id }) => id)
    expect([ids, walk.urls()]).toEqual([[1n, 2n], urls])

    const steps = answering(pageOf(1, link), last, last)
    const first = await steps.pets.list({ limit: 1 })
    const next = await first.nextPage()
    expect(next).toEqual({ pets: [{ id: 2n, name: "a", categoryId: 1n }], next: undefined })
    expect(await first.nextPage()).toEqual(next)
    expect(next?.nextPage()).toBeUndefined()
    expect(steps.urls()).toEqual([...urls, urls[1]])
    // A page is what it contains.
    expect(structuredClone(first)).toStrictEqual(first)
  })
})
