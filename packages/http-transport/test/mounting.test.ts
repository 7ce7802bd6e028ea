/** An API as a function answers as on a listener. */
import { describe, expect } from "@effect/vitest"
import { HttpListener } from "@petstore/http-transport/HttpListener"
import * as Mounting from "@petstore/http-transport/Mounting"
import * as Direct from "@petstore/kernel/Direct"
import { Deferred, Duration, Effect, Fiber, Layer } from "effect"
import * as Harness from "./support/Harness.ts"
import * as Logs from "./support/Logs.ts"
import { keys } from "./support/Request.ts"
import { live, served } from "./support/Served.ts"
import * as Things from "./support/Things.ts"

const api = Harness.api()
type Send = (path: string, init: RequestInit) => Promise<Response>

/** What the fixture needs, with some operations replaced. */
const layerWith = (change?: Things.Change) =>
  Layer.merge(Things.layer(change), Harness.authentication)

const layer = layerWith()

/** Calls the API as a function. */
const inFunctionWith = (mounted = api, needed = layer) =>
  Effect.acquireRelease(
    Effect.sync(() => Mounting.toWebHandler(mounted, needed)),
    ({ dispose }) => Effect.promise(dispose)
  )
const inFunction = inFunctionWith()

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
    const { handler } = yield* inFunction
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
      const { handler } = yield* inFunctionWith(
        api,
        layerWith(() => ({ list: () => list }))
      )
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

  live("answers a request that is aborted, or whose body breaks, with the reason", function* () {
    const { handler } = yield* inFunction
    const never = () => new Promise<void>(() => {})
    const broken = () => Promise.reject(new RangeError("broken"))
    for (const [pull, signal, name] of [
      [never, AbortSignal.timeout(20), "TimeoutError"],
      [broken, null, "RangeError"]
    ] as const) {
      const body = new ReadableStream({ pull })
      const request = new Request("http://things.example.org/v1/things", {
        ...{ method: "POST", body, duplex: "half", signal },
        headers: { ...json, Authorization: `Bearer ${keys.all}` }
      } as RequestInit)
      const outcome = yield* Effect.either(Effect.tryPromise(() => handler(request)))
      expect(outcome).toMatchObject({ left: { error: { name } } })
    }
  })

  live(
    "discards the rest of a body after the answer, and cancels one that does not end",
    function* () {
      const { handler } = yield* inFunction
      const chunk = Buffer.alloc(40_000, " ")
      for (const [Authorization, status] of [
        ["", 401],
        [`Bearer ${keys.all}`, 413]
      ] as const)
        for (const [length, expected] of [
          [10, "read"],
          [Infinity, "cancelled"]
        ] as const) {
          let chunks = 0
          const ended = yield* Deferred.make<string>()
          const end = (how: string) => Deferred.unsafeDone(ended, Effect.succeed(how))
          const body = new ReadableStream({
            pull: async (controller) => {
              // An endless one leaves time for others.
              await new Promise(setImmediate)
              if (chunks++ < length) return controller.enqueue(chunk)
              controller.close()
              end("read")
            },
            cancel: () => end("cancelled")
          })
          const request = new Request("http://things.example.org/v1/things", {
            ...{ method: "POST", body, duplex: "half" },
            headers: { ...json, Authorization }
          } as RequestInit)
          const response = yield* Effect.promise(() => handler(request))
          expect([response.status, yield* Deferred.await(ended)]).toEqual([status, expected])
        }
    }
  )

  live("counts wrong keys by the address that proxies name, or not at all", function* () {
    const rateLimit = { count: 2, window: Duration.hours(1) }
    const statusesOf = (trustedHops: number) =>
      Effect.gen(function* () {
        const { handler } = yield* inFunctionWith(Harness.api({ rateLimit, trustedHops }))
        return yield* Effect.forEach(["1", "1", "1", "2"], (address) =>
          Effect.promise(async () => {
            const headers = {
              Authorization: "Bearer wrong",
              "X-Forwarded-For": `192.0.2.${address}`
            }
            const request = new Request("http://things.example.org/v1/things", { headers })
            return (await handler(request)).status
          })
        )
      })
    expect(yield* statusesOf(0)).toEqual([401, 401, 401, 401])
    expect(yield* statusesOf(1)).toEqual([401, 401, 429, 401])
  })

  live("answers 503 once it is disposed, and has closed what it needed", function* () {
    const headers = { Authorization: `Bearer ${keys.all}` }
    let isClosed = false
    const close = () => {
      isClosed = true
    }
    const { dispose, handler } = Mounting.toWebHandler(
      api,
      layerWith(() => ({ close }))
    )
    const ask = () => handler(new Request("http://things.example.org/v1/things", { headers }))
    expect((yield* Effect.promise(ask)).status).toBe(200)
    expect(isClosed).toBe(false)
    yield* Effect.promise(dispose)
    expect(isClosed).toBe(true)
    const { status, text } = yield* Effect.promise(async () => {
      const response = await ask()
      return { status: response.status, text: await response.text() }
    })
    expect([status, text]).toEqual([503, expect.stringContaining("the service has stopped")])
  })

  live("answers 503 if its layer fails, and logs why once", function* () {
    const logs = Logs.make()
    const failing = Layer.provide(Layer.fail(new Error("no such disk")), logs.layer)
    const { dispose, handler } = Mounting.toWebHandler(api, failing)
    const ask = Effect.promise(() => handler(new Request("http://a.example/v1/things")))
    expect([(yield* ask).status, (yield* ask).status]).toEqual([503, 503])
    expect(logs.lines.filter(({ level }) => level !== "DEBUG")).toMatchObject([
      { message: "the API could not start", cause: expect.stringContaining("no such disk") }
    ])
    yield* Effect.promise(dispose)
  })
})
