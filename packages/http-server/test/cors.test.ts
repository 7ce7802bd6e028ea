/** Web pages of other origins, when they are allowed to call. */
import { describe, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { exchange } from "./support/Connection.ts"
import * as Harness from "./support/Harness.ts"
import { create, type Request } from "./support/Request.ts"
import { headersOf, type Response } from "./support/Response.ts"

const page = "https://app.example.org"
const from = (origin: string, request: Request): Request => ({
  ...request,
  headers: [...(request.headers ?? []), `Origin: ${origin}`]
})
const preflight = (origin: string, target = "/v1/pets"): Request =>
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
  "Access-Control-Allow-Methods": expect.stringMatching(/^GET, HEAD, POST/),
  "Access-Control-Allow-Headers":
    "Authorization, Content-Type, X-Request-Id, Idempotency-Key, If-None-Match, traceparent",
  "Access-Control-Max-Age": "7200",
  Vary: "Origin"
}

const serving = (corsOrigins: ReadonlyArray<string>) =>
  layer(Harness.layer({ server: { corsOrigins } }), { excludeTestServices: true })

describe("two origins are allowed", () => {
  serving([page, "http://localhost:5173"])("", (it) => {
    it.effect("a preflight is answered without a key", () =>
      Effect.gen(function* () {
        for (const target of ["/v1/pets", "/v1/pets/1", "/v1/none"]) {
          const response = yield* exchange(preflight(page, target))
          expect(response.status).toBe(204)
          expect(response.body).toBe("")
          expect(corsOf(response)).toEqual({
            "Access-Control-Allow-Origin": page,
            ...toPreflight
          })
        }
      })
    )

    it.effect("every answer to their pages names the origin, errors included", () =>
      Effect.gen(function* () {
        const requests: ReadonlyArray<readonly [Request, number]> = [
          [{ target: "/v1/pets" }, 200],
          [create('{"name":"n","categoryId":1}'), 201],
          [{ target: "/v1/pets", key: null }, 401],
          [{ target: "/v1/none" }, 404],
          [{ target: "/v1/pets?limit=0" }, 400],
          [{ target: "/v1/pets", method: "DELETE" }, 405],
          [{ target: "/openapi.json", key: null }, 200]
        ]
        for (const [request, status] of requests) {
          const response = yield* exchange(from("http://localhost:5173", request))
          expect(response.status).toBe(status)
          expect(corsOf(response)).toEqual({
            "Access-Control-Allow-Origin": "http://localhost:5173",
            "Access-Control-Expose-Headers": exposed,
            Vary: "Origin"
          })
        }
      })
    )

    it.effect("other origins, and callers without one, learn only that it depends on it", () =>
      Effect.gen(function* () {
        for (const origin of ["https://evil.example", `${page}.evil.example`, "null"]) {
          expect(corsOf(yield* exchange(from(origin, { target: "/v1/pets" })))).toEqual({
            Vary: "Origin"
          })
          const refused = yield* exchange(preflight(origin))
          expect(refused.status).toBe(401)
          expect(corsOf(refused)).toEqual({ Vary: "Origin" })
        }
        expect(corsOf(yield* exchange({ target: "/v1/pets" }))).toEqual({ Vary: "Origin" })
      })
    )

    it.effect("OPTIONS that is no preflight still needs a key", () =>
      Effect.gen(function* () {
        const bare: Request = { target: "/v1/pets", method: "OPTIONS", key: null }
        expect((yield* exchange(from(page, bare))).status).toBe(401)
        expect((yield* exchange(bare)).status).toBe(401)
      })
    )
  })
})

describe("all origins are allowed", () => {
  serving(["*"])("", (it) => {
    it.effect("any page may call", () =>
      Effect.gen(function* () {
        expect(corsOf(yield* exchange(preflight("https://any.example")))).toEqual({
          "Access-Control-Allow-Origin": "*",
          ...toPreflight
        })
        expect(corsOf(yield* exchange(from("null", { target: "/v1/pets" })))).toEqual({
          "Access-Control-Allow-Origin": "*",
          "Access-Control-Expose-Headers": exposed,
          Vary: "Origin"
        })
      })
    )
  })
})

describe("no origin is allowed, as usual", () => {
  serving([])("", (it) => {
    it.effect("there is no header of CORS, and a preflight is any request without a key", () =>
      Effect.gen(function* () {
        expect(corsOf(yield* exchange(from(page, { target: "/v1/pets" })))).toEqual({})
        const refused = yield* exchange(preflight(page))
        expect(refused.status).toBe(401)
        expect(corsOf(refused)).toEqual({})
      })
    )
  })
})
