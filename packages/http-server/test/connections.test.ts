/** Connections: many requests on one, old callers, callers who leave. */
import { describe, expect, it, layer } from "@effect/vitest"
import * as Cursor from "@petstore/http-contract/Cursor"
import { Deferred, Effect } from "effect"
import { chunked, inChunks } from "./support/Bodies.ts"
import { connect, exchange } from "./support/Connection.ts"
import {
  answer,
  closing,
  created,
  current,
  expectResponse,
  found,
  noKey,
  notFound,
  refusal,
  withId
} from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import { create, head, operation, type Request, render } from "./support/Request.ts"
import { headerOf } from "./support/Response.ts"

const pet = '{"name":"n","categoryId":1}'
const fields = '"name":"n","categoryId":1'
const ok = answer(200, '{"status":"ok"}')
const bad = closing(refusal("bad_request", "the request is not valid HTTP"))
const add = operation("POST /v1/pets")
const list = operation("GET /v1/pets")
const alive = operation("GET /healthz")

layer(Harness.layer(), { excludeTestServices: true })("a connection", (it) => {
  it.scoped("answers requests that come in one packet, in their order", () =>
    Effect.gen(function* () {
      const connection = yield* connect
      const requests: ReadonlyArray<Request> = [
        create(pet),
        { target: "/healthz" },
        { target: "/v1/pets", method: "HEAD" },
        { target: "/v1/pets", key: null },
        create(pet),
        { target: "/none" },
        { target: "/v1/pets" }
      ]
      yield* connection.send(Buffer.concat(requests.map(render)))
      expectResponse(yield* connection.receive(add), created(fields)(1))
      expectResponse(yield* connection.receive(alive), ok)
      expect((yield* connection.receive(operation("HEAD /v1/pets"))).status).toBe(200)
      expectResponse(yield* connection.receive(list), noKey)
      expectResponse(yield* connection.receive(add), created(fields)(2))
      expectResponse(yield* connection.receive(operation("GET /none")), notFound)
      expect((yield* connection.receive(list)).status).toBe(200)
    })
  )

  it.scoped("answers a hundred additions in one packet, each with an id of its own", () =>
    Effect.gen(function* () {
      const connection = yield* connect
      const before = yield* Harness.count
      yield* connection.send(Buffer.concat(Array(100).fill(render(create(pet)))))
      const ids = new Set<string>()
      for (let at = 0; at < 100; at++) ids.add((yield* connection.receive(add)).body)
      expect(ids.size).toBe(100)
      expect(yield* Harness.count).toBe(before + 100)
    })
  )

  it.scoped("shows what was added on another as soon as that is answered", () =>
    Effect.gen(function* () {
      const writer = yield* connect
      const early = yield* connect
      const readers = yield* Effect.replicateEffect(connect, 2)
      const before = yield* Harness.count
      const added = { target: `/v1/pets?limit=100&cursor=${Cursor.encode(BigInt(before))}` }
      for (let size = 1; size <= 20; size++) {
        yield* writer.send(render(create(pet)))
        // This one may come too early; those that ask after the answer may not miss it.
        yield* early.send(render(added))
        yield* writer.receive(add)
        for (const reader of readers) yield* reader.send(render(added))
        for (const reader of readers) {
          expect(JSON.parse((yield* reader.receive(list)).body).length).toBe(size)
        }
        yield* early.receive(list)
      }
    })
  )

  it.scoped("gets its own response when many ask the same at once", () =>
    Effect.gen(function* () {
      const connections = yield* Effect.replicateEffect(connect, 20)
      const request = { target: `/v1/pets?cursor=${Cursor.encode(9n ** 18n)}` }
      for (const [at, connection] of connections.entries()) {
        const close = at % 2 === 0 ? ["Connection: close"] : []
        const headers = [`X-Request-Id: caller-${at}`, ...close]
        yield* connection.send(render({ ...request, headers }))
      }
      for (const [at, connection] of connections.entries()) {
        const expected = withId(found("[]", [current("limit=20", 9n ** 18n)]), `caller-${at}`)
        const response = yield* connection.receive(list)
        expectResponse(response, at % 2 === 0 ? closing(expected) : expected)
      }
    })
  )

  it.scoped("answers what came before nonsense, and then refuses the nonsense", () =>
    Effect.gen(function* () {
      const connection = yield* connect
      const before = yield* Harness.count
      yield* connection.send(render(create(pet)), "nonsense\r\n\r\n")
      expectResponse(yield* connection.receive(add), created(fields)(before + 1))
      expectResponse(yield* connection.receive(), bad)
      expect(yield* connection.closed).toEqual({ rest: "", reset: false })
    })
  )

  it.scoped("takes what is longer than its length for the next request", () =>
    Effect.gen(function* () {
      const connection = yield* connect
      const before = yield* Harness.count
      yield* connection.send(render(create(pet)), "}}", "\r\n\r\n")
      expectResponse(yield* connection.receive(add), created(fields)(before + 1))
      expectResponse(yield* connection.receive(), bad)
    })
  )

  it.scoped("is closed after the answer when the caller wants so", () =>
    Effect.gen(function* () {
      const connection = yield* connect
      const before = yield* Harness.count
      const request = { ...create(pet), headers: ["Connection: close"] }
      yield* connection.send(render(request), render(create(pet)))
      expectResponse(yield* connection.receive(add), closing(created(fields)(before + 1)))
      expect((yield* connection.closed).rest).toBe("")
      expect(yield* Harness.count).toBe(before + 1)
    })
  )

  it.scoped("answers HTTP/1.0, with and without a Host, and closes", () =>
    Effect.gen(function* () {
      for (const host of ["", "Host: localhost\r\n"]) {
        const connection = yield* connect
        yield* connection.send(`GET /healthz HTTP/1.0\r\n${host}\r\n`)
        expectResponse(yield* connection.receive(alive), closing(ok))
        expect(yield* connection.closed).toEqual({ rest: "", reset: false })
      }
    })
  )

  it.scoped("closes after HTTP/1.0 with chunks, which a proxy may not understand", () =>
    Effect.gen(function* () {
      const connection = yield* connect
      const headers = [...(inChunks.headers ?? []), "Connection: keep-alive"]
      const request = head({ ...inChunks, headers })
        .toString()
        .replace("HTTP/1.1", "HTTP/1.0")
      yield* connection.send(request, chunked(pet, 5), render({ target: "/healthz" }))
      const response = yield* connection.receive(add)
      expect([response.status, headerOf(response, "Connection")]).toEqual([201, "close"])
      expect(yield* connection.closed).toEqual({ rest: "", reset: false })
    })
  )

  it.scoped("asks HTTP/1.0 for a key, too", () =>
    Effect.gen(function* () {
      const connection = yield* connect
      yield* connection.send("GET /v1/pets HTTP/1.0\r\n\r\n")
      expectResponse(yield* connection.receive(list), closing(noKey))
    })
  )

  it.scoped("answers a caller who sends no more", () =>
    Effect.gen(function* () {
      const before = yield* Harness.count
      const connection = yield* connect
      yield* connection.send(render(create(pet)))
      yield* connection.halfClose
      const { body, status } = yield* connection.receive(add)
      expect({ body, status }).toEqual({ status: 201, body: `{"id":${before + 1},${fields}}` })
      expect(yield* connection.closed).toEqual({ rest: "", reset: false })
    })
  )

  it.scoped("refuses half a body from a caller who sends no more", () =>
    Effect.gen(function* () {
      const before = yield* Harness.count
      const connection = yield* connect
      yield* connection.send(head(create(pet)), pet.slice(0, 10))
      yield* connection.halfClose
      expectResponse(yield* connection.receive(add), bad)
      expect(yield* Harness.count).toBe(before)
    })
  )

  it.scoped("stores nothing of a caller who disconnects in the middle, and keeps serving", () =>
    Effect.gen(function* () {
      const before = yield* Harness.count
      for (const part of ["", pet.slice(0, 5), pet.slice(0, -1)]) {
        const connection = yield* connect
        yield* connection.send(head(create(pet)), part)
        yield* connection.vanish
      }
      expect((yield* exchange({ target: "/v1/pets" })).status).toBe(200)
      expect(yield* Harness.count).toBe(before)
    })
  )
})

describe("a caller of a slow store", () => {
  const slow = Harness.layer({
    store: Harness.storeWith((store) => ({
      add: (newPet) => Effect.delay(store.add(newPet), "300 millis")
    }))
  })

  it.scopedLive("is answered in order, nonsense last", () =>
    Effect.gen(function* () {
      const connection = yield* connect
      yield* connection.send(
        render(create(pet)),
        render({ target: "/healthz" }),
        "nonsense\r\n\r\n"
      )
      expectResponse(yield* connection.receive(add), created(fields)(1))
      expectResponse(yield* connection.receive(alive), ok)
      expectResponse(yield* connection.receive(), bad)
      expect(yield* connection.closed).toEqual({ rest: "", reset: false })
    }).pipe(Effect.provide(slow))
  )

  it.scopedLive("is answered in order, a bad body last", () =>
    Effect.gen(function* () {
      const connection = yield* connect
      yield* connection.send(render(create(pet)), head(inChunks), "zz\r\n")
      expectResponse(yield* connection.receive(add), created(fields)(1))
      expectResponse(yield* connection.receive(add), bad)
      expect(yield* connection.closed).toEqual({ rest: "", reset: false })
      expect(yield* Harness.count).toBe(1)
    }).pipe(Effect.provide(slow))
  )

  it.scopedLive("is answered although it sends no more", () =>
    Effect.gen(function* () {
      const connection = yield* connect
      yield* connection.send(render(create(pet)))
      yield* connection.halfClose
      expect((yield* connection.receive(add)).status).toBe(201)
    }).pipe(Effect.provide(slow))
  )

  it.scopedLive("cancels its requests when it disconnects", () =>
    Effect.gen(function* () {
      const ended = yield* Deferred.make<void>()
      const begun = yield* Deferred.make<void>()
      const store = Harness.storeWith(() => ({
        list: () =>
          Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never).pipe(
            Effect.onInterrupt(() => Deferred.succeed(ended, undefined))
          )
      }))
      yield* Effect.gen(function* () {
        const connection = yield* connect
        yield* connection.send(render({ target: "/v1/pets" }))
        yield* Deferred.await(begun)
        yield* connection.vanish
        yield* Deferred.await(ended)
      }).pipe(Effect.provide(Harness.layer({ store })))
    })
  )
})
