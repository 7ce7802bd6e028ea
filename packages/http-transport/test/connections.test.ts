/** Connections: many requests on one, old callers, callers who leave. */
import { describe, expect } from "@effect/vitest"
import * as Cursor from "@petstore/http-transport/Cursor"
import { Deferred, Effect } from "effect"
import { chunked, inChunks } from "./support/Bodies.ts"
import { connect, exchange } from "./support/Connection.ts"
import {
  answer,
  closing,
  created,
  expectResponse,
  found,
  noKey,
  notFound,
  refusal,
  withId
} from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import * as Logs from "./support/Logs.ts"
import { create, head, operation, type Request, render } from "./support/Request.ts"
import { headerOf } from "./support/Response.ts"
import { live, served } from "./support/Served.ts"

const thing = '{"name":"n","count":1}'
const fields = '"name":"n","count":1'
const ok = answer(200, '{"status":"ok"}')
const bad = closing(refusal("bad_request", "the request is not valid HTTP"))
const add = operation("POST /v1/things")
const list = operation("GET /v1/things")
const alive = operation("GET /healthz")

describe("a connection", () => {
  served()("answers requests that come in one packet, in their order", function* () {
    const connection = yield* connect
    const requests: ReadonlyArray<Request> = [
      create(thing),
      { target: "/healthz" },
      { target: "/v1/things", method: "HEAD" },
      { target: "/v1/things", key: null },
      create(thing),
      { target: "/none" },
      { target: "/v1/things" }
    ]
    yield* connection.send(Buffer.concat(requests.map(render)))
    expectResponse(yield* connection.receive(add), created(fields)(1))
    expectResponse(yield* connection.receive(alive), ok)
    expect((yield* connection.receive(operation("HEAD /v1/things"))).status).toBe(200)
    expectResponse(yield* connection.receive(list), noKey)
    expectResponse(yield* connection.receive(add), created(fields)(2))
    expectResponse(yield* connection.receive(operation("GET /none")), notFound)
    expect((yield* connection.receive(list)).status).toBe(200)
  })

  served()("gets its own response when many ask the same at once", function* () {
    const connections = yield* Effect.replicateEffect(connect, 20)
    const request = { target: `/v1/things?cursor=${Cursor.encode(9n ** 18n)}` }
    for (const [at, connection] of connections.entries()) {
      const close = at % 2 === 0 ? ["Connection: close"] : []
      const headers = [`X-Request-Id: caller-${at}`, ...close]
      yield* connection.send(render({ ...request, headers }))
    }
    for (const [at, connection] of connections.entries()) {
      const expected = withId(found("[]"), `caller-${at}`)
      const response = yield* connection.receive(list)
      expectResponse(response, at % 2 === 0 ? closing(expected) : expected)
    }
  })

  served()("is closed after the answer when the caller wants so", function* () {
    const connection = yield* connect
    const request = { ...create(thing), headers: ["Connection: close"] }
    yield* connection.send(render(request), render(create(thing)))
    expectResponse(yield* connection.receive(add), closing(created(fields)(1)))
    expect((yield* connection.closed).rest).toBe("")
    expect(yield* Harness.count).toBe(1)
  })

  served()("answers HTTP/1.0, with and without a Host, and closes", function* () {
    for (const host of ["", "Host: localhost\r\n"]) {
      const connection = yield* connect
      yield* connection.send(`GET /healthz HTTP/1.0\r\n${host}\r\n`)
      expectResponse(yield* connection.receive(alive), closing(ok))
      expect(yield* connection.closed).toEqual({ rest: "", reset: false })
    }
  })

  served()("closes after HTTP/1.0 with chunks, which a proxy may not understand", function* () {
    const connection = yield* connect
    const headers = [...(inChunks.headers ?? []), "Connection: keep-alive"]
    const request = head({ ...inChunks, headers })
      .toString()
      .replace("HTTP/1.1", "HTTP/1.0")
    yield* connection.send(request, chunked(thing, 5), render({ target: "/healthz" }))
    const response = yield* connection.receive(add)
    expect([response.status, headerOf(response, "Connection")]).toEqual([201, "close"])
    expect(yield* connection.closed).toEqual({ rest: "", reset: false })
  })

  served()("refuses half a body from a caller who sends no more", function* () {
    const connection = yield* connect
    yield* connection.send(head(create(thing)), thing.slice(0, 10))
    yield* connection.halfClose
    expectResponse(yield* connection.receive(add), bad)
    expect(yield* Harness.count).toBe(0)
  })

  served()(
    "stores nothing of a caller who disconnects in the middle, and keeps serving",
    function* () {
      for (const part of ["", thing.slice(0, 5), thing.slice(0, -1)]) {
        const connection = yield* connect
        yield* connection.send(head(create(thing)), part)
        yield* connection.vanish
      }
      expect((yield* exchange({ target: "/v1/things" })).status).toBe(200)
      expect(yield* Harness.count).toBe(0)
    }
  )
})

describe("a caller of a slow handler", () => {
  const slow = served({
    shelf: ({ add }) => ({ add: (thing) => Effect.delay(add(thing), "300 millis") })
  })

  slow("is answered in order, nonsense last", function* () {
    const connection = yield* connect
    yield* connection.send(
      render(create(thing)),
      render({ target: "/healthz" }),
      "nonsense\r\n\r\n"
    )
    expectResponse(yield* connection.receive(add), created(fields)(1))
    expectResponse(yield* connection.receive(alive), ok)
    expectResponse(yield* connection.receive(), bad)
    expect(yield* connection.closed).toEqual({ rest: "", reset: false })
  })

  slow("is answered although it sends no more", function* () {
    const connection = yield* connect
    yield* connection.send(render(create(thing)))
    yield* connection.halfClose
    expect((yield* connection.receive(add)).status).toBe(201)
    expect(yield* connection.closed).toEqual({ rest: "", reset: false })
  })

  slow("is answered in order, a bad body last", function* () {
    const connection = yield* connect
    yield* connection.send(render(create(thing)), head(inChunks), "zz\r\n")
    expectResponse(yield* connection.receive(add), created(fields)(1))
    expectResponse(yield* connection.receive(add), bad)
    expect(yield* connection.closed).toEqual({ rest: "", reset: false })
    expect(yield* Harness.count).toBe(1)
  })

  live("cancels its requests when it disconnects", function* () {
    const logs = Logs.make()
    const ended = yield* Deferred.make<void>()
    const begun = yield* Deferred.make<void>()
    const list = Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never).pipe(
      Effect.onInterrupt(() => Deferred.succeed(ended, undefined))
    )
    yield* Effect.gen(function* () {
      const connection = yield* connect
      yield* connection.send(render({ target: "/v1/things" }))
      yield* Deferred.await(begun)
      yield* connection.vanish
      yield* Deferred.await(ended)
      // The service has not failed.
      yield* exchange({ target: "/healthz" })
      expect(logs.lines.filter(({ level }) => level === "ERROR")).toEqual([])
    }).pipe(
      Effect.provide(Harness.layer({ shelf: () => ({ list: () => list }), logger: logs.layer }))
    )
  })
})
