/** An API in another server answers as on a listener of its own. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { HttpApp, HttpRouter, HttpServer, HttpServerResponse } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import * as Authentication from "@petstore/http-server/Authentication"
import { HttpListener } from "@petstore/http-server/HttpListener"
import * as Mounting from "@petstore/http-server/Mounting"
import * as PetStoreServer from "@petstore/http-server/PetStoreServer"
import * as MemoryPetStore from "@petstore/store-memory/MemoryPetStore"
import { Effect, Layer, Stream } from "effect"
import * as Harness from "./support/Harness.ts"
import { keys } from "./support/Request.ts"

const api = PetStoreServer.api(PetStoreServer.defaults)
const layer = Layer.mergeAll(
  Layer.provide(Harness.useCases, MemoryPetStore.layer),
  Layer.provide(Authentication.layerApiKeys, Harness.apiKeys)
)

type Send = (path: string, init: RequestInit) => Promise<Response>

/** Sends requests to the API in a server of `node:http`. */
const inNode = Effect.acquireRelease(
  Effect.async<{ readonly send: Send; readonly stop: () => Promise<void> }>((resume) => {
    const { dispose, handler } = Mounting.toNodeHandler(api, layer)
    const server = createServer(handler).listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resume(
        Effect.succeed({
          send: (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init),
          stop: () => {
            server.close()
            server.closeAllConnections()
            return dispose()
          }
        })
      )
    })
  }),
  ({ stop }) => Effect.promise(stop)
)

/** Calls the API as a function. */
const inFunction = Effect.acquireRelease(
  Effect.sync(() => Mounting.toWebHandler(api, layer)),
  ({ dispose }) => Effect.promise(dispose)
)

/** The API in a server of Effect, as docs/make-it-yours.md shows it. */
const effectServer = Layer.unwrapScoped(
  Effect.gen(function* () {
    const inShop = PetStoreServer.api({ ...PetStoreServer.defaults, basePath: "/shop/v1" })
    const { handler } = yield* Effect.acquireRelease(
      Effect.sync(() => Mounting.toWebHandler(inShop, layer)),
      ({ dispose }) => Effect.promise(dispose)
    )
    return HttpRouter.empty.pipe(
      HttpRouter.get("/hello", HttpServerResponse.text("hello")),
      HttpRouter.mountApp("/shop", HttpApp.fromWebHandler(handler)),
      HttpServer.serve()
    )
  })
).pipe(
  Layer.provideMerge(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 })),
  Layer.orDie
)

const json = { "Content-Type": "application/json" }
const post = (body: string, headers: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: "POST",
  headers: { ...json, ...headers },
  body
})

/** In this order: what was added before is listed later. */
const requests: ReadonlyArray<readonly [path: string, init?: RequestInit]> = [
  ["/v1/pets", post('{"name":"Rex","categoryId":9007199254740993}')],
  ["/v1/pets", post('{"name":"Tom","categoryId":1,"status":"sold"}', { "Idempotency-Key": "1" })],
  ["/v1/pets", post('{"name":"Tom","categoryId":2,"status":"sold"}', { "Idempotency-Key": "1" })],
  ["/v1/pets", post("{")],
  ["/v1/pets", post("")],
  ["/v1/pets", post('{"name":""}')],
  ["/v1/pets", post("{}", { "Content-Type": "text/plain" })],
  ["/v1/pets", post(`"${"x".repeat(70_000)}"`)],
  ["/v1/pets?limit=1"],
  ["/v1/pets?limit=x"],
  ["/v1/pets", { method: "HEAD" }],
  ["/v1/pets", { method: "OPTIONS" }],
  ["/v1/pets", { method: "DELETE" }],
  ["/v1/pets", { headers: { Authorization: "Bearer wrong" } }],
  ["/v1/pets", { headers: { Authorization: "" } }],
  ["/v1/pets", post("{}", { Authorization: `Bearer ${keys.read}` })],
  ["/v1/pets/1"],
  ["/v1/pets/7"],
  ["/v1/nothing"],
  ["/"],
  ["/nothing"],
  ["/openapi.json"],
  ["/docs"],
  ["/healthz"],
  ["/readyz"]
]

/** What the server that it is mounted in may decide. */
const ofServer = new Set(["connection", "date", "keep-alive", "x-request-id", "transfer-encoding"])

const answersOf = (send: Send) =>
  Stream.fromIterable(requests).pipe(
    Stream.mapEffect(([path, init = {}]) =>
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
    ),
    Stream.runCollect,
    Effect.map((answers) => Array.from(answers))
  )

describe("the Pet Store in another server", () => {
  it.scopedLive("answers as on a listener of its own", () =>
    Effect.gen(function* () {
      const { url } = yield* HttpListener
      const expected = yield* answersOf((path, init) => fetch(`${url}${path}`, init))
      expect(new Set(expected.map(({ status }) => status))).toEqual(
        new Set([200, 201, 204, 400, 401, 403, 404, 405, 413, 415, 422])
      )
      const node = yield* inNode
      expect(yield* answersOf(node.send)).toEqual(expected)
      const { handler } = yield* inFunction
      const web: Send = (path, init) => handler(new Request(`http://pets.example.org${path}`, init))
      expect(yield* answersOf(web)).toEqual(expected)
    }).pipe(Effect.provide(Harness.layer()))
  )

  it.scopedLive("answers in a server of Effect, below a path", () =>
    Effect.gen(function* () {
      const { url } = yield* HttpListener
      const expected = yield* answersOf((path, init) => fetch(`${url}${path}`, init))
      const { address } = yield* HttpServer.HttpServer
      const origin = `http://127.0.0.1:${address._tag === "TcpAddress" ? address.port : 0}`
      expect(yield* answersOf((path, init) => fetch(`${origin}/shop${path}`, init))).toEqual(
        expected
      )
      const hello = yield* Effect.promise(() => fetch(`${origin}/hello`))
      expect(yield* Effect.promise(() => hello.text())).toBe("hello")
    }).pipe(
      Effect.provide(Layer.merge(Harness.layer({ server: { basePath: "/shop/v1" } }), effectServer))
    )
  )

  it.scopedLive("stops what it does for a request that is aborted", () =>
    Effect.gen(function* () {
      const { handler } = yield* inFunction
      const never = new ReadableStream({ pull: () => new Promise(() => {}) })
      const request = new Request("http://pets.example.org/v1/pets", {
        ...{ method: "POST", body: never, duplex: "half", signal: AbortSignal.timeout(20) },
        headers: { ...json, Authorization: `Bearer ${keys.all}` }
      } as RequestInit)
      const outcome = yield* Effect.either(Effect.tryPromise(() => handler(request)))
      expect(outcome).toMatchObject({ left: { error: { name: "TimeoutError" } } })
    })
  )

  it.scopedLive("answers 503 if its layer fails", () =>
    Effect.gen(function* () {
      const { dispose, handler } = Mounting.toWebHandler(api, Layer.fail(new Error("no such disk")))
      const response = yield* Effect.promise(() => handler(new Request("http://a.example/v1/pets")))
      expect(response.status).toBe(503)
      yield* Effect.promise(dispose)
    })
  )
})
