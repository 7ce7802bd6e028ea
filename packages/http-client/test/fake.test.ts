/** The fake answers as the service does: it is held to the service's own tables of requests and answers. */
import { describe, expect, it } from "@effect/vitest"
import { makeFakePetStore } from "@petstore/http-client/testing"
import { suites as authentication } from "../../http-server/test/cases/authentication.ts"
import { suites as bodyLimit } from "../../http-server/test/cases/bodyLimit.ts"
import { suites as fields } from "../../http-server/test/cases/fields.ts"
import { suites as getPet } from "../../http-server/test/cases/getPet.ts"
import { suites as malformed } from "../../http-server/test/cases/malformed.ts"
import { suites as numbers } from "../../http-server/test/cases/numbers.ts"
import { suites as paths } from "../../http-server/test/cases/paths.ts"
import { suites as query } from "../../http-server/test/cases/query.ts"
import { suites as requestId } from "../../http-server/test/cases/requestId.ts"
import type { Expected } from "../../http-server/test/support/Expected.ts"
import { keys, type Request as Sent } from "../../http-server/test/support/Request.ts"
import type { Suite } from "../../http-server/test/support/Suites.ts"
import { startService } from "./support/Service.ts"

const tables: ReadonlyArray<Suite> = [
  ...[authentication, bodyLimit, fields, getPet, malformed, numbers, paths, query, requestId]
].flat()

const scopes = ["pets:read", "pets:write"] as const
const newFake = () =>
  makeFakePetStore({
    apiKeys: { [keys.all]: scopes, [keys.read]: ["pets:read"], [keys.write]: ["pets:write"] }
  })

const origin = "http://pets.test"
const urlOf = ({ target }: Sent) => (target.startsWith("/") ? origin + target : target)
const names = ({ headers = [] }: Sent) => headers.map((line) => line.split(":")[0]?.toLowerCase())

/** What the fake cannot have, since `fetch` cannot send it, or does not have. */
const absent: Readonly<Record<string, (request: Sent, suite: Suite) => boolean>> = {
  "headers of the connection, such as the length of a body that is not sent": (request) =>
    /content-length|transfer-encoding|expect|upgrade/.test(names(request).join()),
  "paths that a URL cannot have, or that it changes": (request) => {
    const [path = ""] = urlOf(request)
      .replace(/^https?:\/\/[^/?]*/i, "")
      .split("?")
    return !URL.canParse(urlOf(request)) || new URL(urlOf(request)).pathname !== path
  },
  "methods that fetch refuses": ({ method }) => method === "TRACE",
  "a type that is sent twice": (request) =>
    names(request).includes("content-type") &&
    (request.body !== undefined || names(request).length > 1),
  "the index and the documents": ({ target }) => /^\/($|\?|docs$|openapi\.json$)/.test(target),
  "a configured limit of bodies": (_, { options }) => options.server?.maxBodyBytes !== undefined
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

/** An answer, without what belongs to the connection, with a new request id as the tables have it. */
const seen = ({ body, headers, status }: Expected) => ({
  status,
  // The service says where and why a body is not JSON.
  body: body.replace(/(?<=the body is not JSON): .*(?=",)/, ""),
  headers: headers
    // The client asks for no tags, and the fake has none.
    .filter((line) => !/^(?:connection|keep-alive|date|etag):/i.test(line))
    .filter((line) => !/^content-length:/i.test(line) || !/the body is not JSON/.test(body))
    .map((line) => line.replace(/^[\w-]+/, (name) => name.toLowerCase()))
    .map((line) => (/^x-request-id: fake-\d+$/.test(line) ? "x-request-id: (new)" : line))
    .sort()
})

const expectedOf = async (response: Response): Promise<Expected> => ({
  status: response.status,
  body: await response.text(),
  headers: [...response.headers].map(([name, value]) => `${name}: ${value}`)
})

describe("the fake answers as the service does", () => {
  let count = 0
  for (const suite of tables) {
    const cases = suite.cases.filter(
      ([, request]) => !Object.values(absent).some((isAbsent) => isAbsent(request, suite))
    )
    count += cases.length
    if (cases.length === 0) continue
    it(suite.title, async () => {
      const { fetch, pets } = newFake()
      let added = 0
      for (const [name, request, answer] of cases) {
        const response = await fetch(urlOf(request), initOf(request))
        const expected = typeof answer === "function" ? answer(added + 1) : answer
        expect([name, seen(await expectedOf(response))]).toEqual([name, seen(expected)])
        if (response.status === 201) added++
      }
      let found = 0
      for await (const _ of pets.list({ limit: 100 })) found++
      expect(found).toBe(added)
    })
  }

  it("in nearly all cases of the tables", () => {
    const all = tables.flatMap(({ cases }) => cases).length
    expect(count / all).toBeGreaterThan(0.9)
    for (const [what, isAbsent] of Object.entries(absent))
      expect([
        what,
        tables.some((suite) => suite.cases.some(([, request]) => isAbsent(request, suite)))
      ]).toEqual([what, true])
  })
})

describe("the fake and the service", () => {
  const animal = '{"name":"Rex","categoryId":1}'
  const post = (key: string, body = animal, headers: ReadonlyArray<string> = []): Sent => ({
    method: "POST",
    target: "/v1/pets",
    key: "key-of-all",
    body,
    headers: [`Idempotency-Key: ${key}`, ...headers]
  })
  const get = (target: string): Sent => ({ target, key: "key-of-all" })

  it("answer the same requests in the same way, one after the other", async () => {
    const service = await startService()
    const fake = makeFakePetStore()
    const requests = [
      ...["k", '"k"', '"k', "a b", "", '"a\\"b"', 'a"b', "~".repeat(256)].map((key) => post(key)),
      post("k", '{ "categoryId": 1.0, "name": "\\u0052ex", "id": 7 }'),
      post("k", '{"name":"Tom","categoryId":1}'),
      post("a b", "{"),
      post("k2", "{}"),
      post("k2", animal, ["X-Request-Id: mine"]),
      ...["", "?limit=2", "?limit=2&status=sold", "?status=x&limit=0"].map((rest) =>
        get(`/v1/pets${rest}`)
      ),
      { ...get("/v1/pets?limit=2"), method: "HEAD" },
      ...["1", "2", "99"].map((id) => get(`/v1/pets/${id}`)),
      { ...get("/v1/pets/1"), method: "HEAD" },
      { ...get("/v1/pets/1"), method: "DELETE" }
    ]
    const answers = async (fetch: typeof globalThis.fetch, base: string, request: Sent) => {
      const answer = seen(await expectedOf(await fetch(base + request.target, initOf(request))))
      return {
        ...answer,
        headers: answer.headers.map((line) =>
          line
            .replace(/^x-request-id: (?!mine).*/, "x-request-id: (new)")
            // Cursors are opaque.
            .replace(/(?<=cursor=)[\w-]+/, "(opaque)")
        )
      }
    }
    for (const request of requests)
      expect([request, await answers(fake.fetch, origin, request)]).toEqual([
        request,
        await answers(fetch, service, request)
      ])
  })
})
