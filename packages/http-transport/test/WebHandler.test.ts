/** An API as a function answers as on a listener. */
import { describe, expect } from "@effect/vitest"
import { HttpListener } from "@petstore/http-transport/HttpListener"
import * as WebHandler from "@petstore/http-transport/WebHandler"
import * as Direct from "@petstore/kernel/Direct"
import { Effect, Fiber, Layer } from "effect"
import * as Harness from "./support/Harness.ts"
import { keys } from "./support/Request.ts"
import { live, served } from "./support/Served.ts"
import * as Things from "./support/Things.ts"

type Send = (path: string, init: RequestInit) => Promise<Response>

/** Calls the API as a function, with some operations of what it needs replaced. */
const inFunction = (change?: Things.Change) =>
  WebHandler.make(Harness.api(), Layer.merge(Things.layer(change), Harness.authentication))

const json = { "Content-Type": "application/json" }
const post = (body: string, headers: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: "POST",
  headers: { ...json, ...headers },
  body
})

/** In this order: what was added before is listed later. */
const requests: ReadonlyArray<readonly [path: string, init?: RequestInit]> = [
  ["/v1/things", post('{"name":"n","count":9007199254740993}')],
  ["/v1/things", post('{"name":"n","count":1}')],
  ["/v1/things", post("{")],
  ["/v1/things", post('{"name":""}')],
  ["/v1/things", post("{}", { "Content-Type": "text/plain" })],
  ["/v1/things", post(`"${"x".repeat(70_000)}"`)],
  ["/v1/things?limit=1"],
  ["/v1/things", { method: "HEAD" }],
  ["/v1/things", { method: "OPTIONS" }],
  ["/v1/things", { method: "DELETE" }],
  ["/v1/things", { headers: { Authorization: "Bearer wrong" } }],
  ["/v1/things", { headers: { Authorization: "" } }],
  ["/v1/things", post("{}", { Authorization: `Bearer ${keys.read}` })],
  ["/v1/things/1"],
  ["/v1/things/7"],
  ["/v1/nothing"],
  ["/"],
  ["/openapi.json"],
  ["/llms.txt"],
  ["/docs"],
  ["/readyz"]
]

/** What only a listener answers. */
const ofServer = new Set(["connection", "date", "keep-alive", "x-request-id", "transfer-encoding"])

const answersOf = (send: Send) =>
  Effect.forEach(requests, ([path, init = {}]) =>
    Effect.promise(async () => {
      const usual = { Authorization: `Bearer ${keys.all}`, "Accept-Encoding": "identity" }
      const headers = { ...usual, ...init.headers }
      const response = await send(path, { ...init, headers })
      return {
        request: `${init.method ?? "GET"} ${path}`,
        status: response.status,
        headers: [...response.headers].filter(([name]) => !ofServer.has(name)).sort(),
        body: await response.text()
      }
    })
  )

describe("an API as a function", () => {
  served()("answers as on a listener", function* () {
    const { url } = yield* HttpListener
    const expected = yield* answersOf((path, init) => fetch(`${url}${path}`, init))
    expect(new Set(expected.map(({ status }) => status))).toEqual(
      new Set([200, 201, 204, 400, 401, 403, 404, 405, 413, 415])
    )
    const handler = inFunction()
    const web: Send = (path, init) => handler(new Request(`http://things.example.org${path}`, init))
    expect(yield* answersOf(web)).toEqual(expected)
  })

  live(
    "stops what it does for a request that is aborted, and does nothing for one that was",
    function* () {
      const events: Array<string> = []
      const list = Direct.async<never>(() => {
        events.push("started")
        return () => events.push("cancelled")
      })
      const handler = inFunction(() => ({ list: () => list }))
      const requestWith = ({ signal }: AbortController) =>
        new Request("http://things.example.org/v1/things", {
          signal,
          headers: { Authorization: `Bearer ${keys.all}` }
        })
      // Its caller goes while the API starts.
      const early = new AbortController()
      const gone = handler(requestWith(early))
      early.abort()
      expect((yield* Effect.either(Effect.tryPromise(() => gone)))._tag).toBe("Left")
      const controller = new AbortController()
      const request = requestWith(controller)
      const answer = yield* Effect.fork(Effect.either(Effect.tryPromise(() => handler(request))))
      yield* Effect.repeat(Effect.yieldNow(), { until: () => events.length > 0 })
      controller.abort()
      expect((yield* Fiber.join(answer))._tag).toBe("Left")
      expect((yield* Effect.either(Effect.tryPromise(() => handler(request))))._tag).toBe("Left")
      expect(events).toEqual(["started", "cancelled"])
    }
  )
})
