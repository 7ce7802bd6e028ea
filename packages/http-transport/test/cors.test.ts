/** Web pages of other origins, when they are allowed to call. */
import { describe, expect } from "@effect/vitest"
import { Duration } from "effect"
import { exchange } from "./support/Connection.ts"
import { create, type Request } from "./support/Request.ts"
import { headersOf, type Response } from "./support/Response.ts"
import { served } from "./support/Served.ts"

const page = "https://app.example.org"
const from = (origin: string, request: Request): Request => ({
  ...request,
  headers: [...(request.headers ?? []), `Origin: ${origin}`]
})
const preflight = (origin: string, target = "/v1/things"): Request =>
  from(origin, {
    target,
    method: "OPTIONS",
    key: null,
    headers: [
      "Access-Control-Request-Method: POST",
      "Access-Control-Request-Headers: authorization"
    ]
  })

/** The headers of CORS in a response. */
const corsOf = (response: Response) =>
  Object.fromEntries(
    [
      "Access-Control-Allow-Origin",
      "Access-Control-Allow-Methods",
      "Access-Control-Allow-Headers",
      "Access-Control-Max-Age",
      "Access-Control-Expose-Headers",
      "Vary"
    ].flatMap((name) => headersOf(response, name).map((value) => [name, value]))
  )

const exposed =
  "Link, Location, X-Request-Id, Retry-After, Deprecation, Sunset, RateLimit, RateLimit-Policy, " +
  "ETag, Idempotent-Replayed"
const toPreflight = {
  "Access-Control-Allow-Methods": "GET, HEAD, POST",
  "Access-Control-Allow-Headers":
    "Authorization, Content-Type, X-Request-Id, Idempotency-Key, If-None-Match, traceparent",
  "Access-Control-Max-Age": "7200",
  Vary: "Origin"
}

/** What every other answer to this origin has. */
const toPage = (origin: string) => ({
  "Access-Control-Allow-Origin": origin,
  "Access-Control-Expose-Headers": exposed,
  Vary: "Origin"
})

const allowing = (...corsOrigins: ReadonlyArray<string>) => served({ server: { corsOrigins } })

describe("two origins are allowed", () => {
  const test = allowing(page, "http://localhost:5173")

  test("a preflight is answered without a key", function* () {
    for (const target of ["/v1/things", "/v1/things/1", "/v1/none"]) {
      const response = yield* exchange(preflight(page, target))
      expect([response.status, response.body]).toEqual([204, ""])
      expect(corsOf(response)).toEqual({ "Access-Control-Allow-Origin": page, ...toPreflight })
    }
  })

  test("every answer to their pages names the origin, errors included", function* () {
    const requests: ReadonlyArray<readonly [Request, number]> = [
      [{ target: "/v1/things" }, 200],
      [create('{"name":"n","count":1}'), 201],
      [{ target: "/v1/things", key: null }, 401],
      [{ target: "/v1/none" }, 404],
      [{ target: "/openapi.json", key: null }, 200]
    ]
    for (const [request, status] of requests) {
      const response = yield* exchange(from("http://localhost:5173", request))
      expect(response.status).toBe(status)
      expect(corsOf(response)).toEqual(toPage("http://localhost:5173"))
    }
  })

  test("other origins, and callers without one, learn only that it depends on it", function* () {
    for (const origin of ["https://evil.example", `${page}.evil.example`, "null"]) {
      const read = yield* exchange(from(origin, { target: "/v1/things" }))
      expect(corsOf(read)).toEqual({ Vary: "Origin" })
      const refused = yield* exchange(preflight(origin))
      expect([refused.status, corsOf(refused)]).toEqual([401, { Vary: "Origin" }])
    }
    expect(corsOf(yield* exchange({ target: "/v1/things" }))).toEqual({ Vary: "Origin" })
  })

  test("OPTIONS that is no preflight still needs a key", function* () {
    const bare: Request = { target: "/v1/things", method: "OPTIONS", key: null }
    for (const request of [from(page, bare), bare])
      expect((yield* exchange(request)).status).toBe(401)
    const read: Request = { ...preflight(page), method: "GET" }
    expect((yield* exchange(read)).status).toBe(401)
  })
})

allowing("*")("if all origins are allowed, any page may call", function* () {
  expect(corsOf(yield* exchange(preflight("https://any.example")))).toEqual({
    "Access-Control-Allow-Origin": "*",
    ...toPreflight
  })
  expect(corsOf(yield* exchange(from("null", { target: "/v1/things" })))).toEqual(toPage("*"))
})

const rateLimit = { count: 1, window: Duration.hours(1) }
served({ server: { corsOrigins: [page], rateLimit } })(
  "with a rate limit, pages may read the answers that it counts, and those that it refuses",
  function* () {
    for (const status of [200, 429]) {
      const response = yield* exchange(from(page, { target: "/v1/things" }))
      expect(response.status).toBe(status)
      expect(corsOf(response)).toEqual(toPage(page))
      expect(headersOf(response, "RateLimit").length).toBe(1)
    }
  }
)

allowing()(
  "without any, the default, there are no CORS headers, and a preflight needs a key",
  function* () {
    expect(corsOf(yield* exchange(from(page, { target: "/v1/things" })))).toEqual({})
    const refused = yield* exchange(preflight(page))
    expect([refused.status, corsOf(refused)]).toEqual([401, {}])
  }
)
