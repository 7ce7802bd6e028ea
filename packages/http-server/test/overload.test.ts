/** Requests that are too many get a quick 503, so that the others stay fast. */
import { describe, expect, it } from "@effect/vitest"
import { HttpListener } from "@petstore/http-server/HttpListener"
import { Deferred, Effect, Queue, Schedule } from "effect"
import { connect, exchange } from "./support/Connection.ts"
import { closing, expectResponse, found, refusal } from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import { create, head, operation, render } from "./support/Request.ts"
import { headerOf } from "./support/Response.ts"

const target = "/v1/pets"
const list = render({ target })
const listing = operation("GET /v1/pets")
const healthz = render({ target: "/healthz", key: null })
const none = found("[]")
const overloaded = refusal("unavailable", "the service is overloaded", ["Retry-After: 1"])

/** A store whose lists wait for a gate. */
const gated = Effect.gen(function* () {
  const asked = yield* Queue.unbounded<void>()
  const gate = yield* Deferred.make<void>()
  const store = Harness.storeWith((store) => ({
    list: (query) =>
      Queue.offer(asked, undefined).pipe(
        Effect.zipRight(Deferred.await(gate)),
        Effect.zipRight(store.list(query))
      )
  }))
  return { asked, open: Deferred.succeed(gate, undefined), store }
})

describe.concurrent("past the limit of requests in flight", () => {
  it.scopedLive("answers 503 on connections that stay open, until others have finished", () =>
    Effect.gen(function* () {
      const { asked, open, store } = yield* gated
      yield* Effect.gen(function* () {
        const { load } = yield* HttpListener
        const busy = [yield* connect, yield* connect]
        for (const connection of busy) {
          yield* connection.send(list)
          yield* Queue.take(asked)
        }
        expect(load()).toEqual({ connections: 2, inFlight: 2, shed: 0, cut: 0 })
        const third = yield* connect
        for (let at = 0; at < 3; at++) {
          yield* third.send(list)
          expectResponse(yield* third.receive(listing), overloaded)
        }
        expect(load()).toEqual({ connections: 3, inFlight: 2, shed: 3, cut: 0 })
        expect((yield* exchange({ target: "/healthz", key: null })).status).toBe(200)
        expect((yield* exchange({ target: "/readyz", key: null })).status).toBe(503)
        yield* open
        for (const connection of busy) expectResponse(yield* connection.receive(listing), none)
        yield* third.send(list)
        expectResponse(yield* third.receive(listing), none)
        expect((yield* exchange({ target: "/readyz", key: null })).status).toBe(200)
      }).pipe(Effect.provide(Harness.layer({ store, listener: { maxInFlight: 2 } })))
    })
  )

  it.scopedLive("counts a request until it is answered, whatever its caller still sends", () =>
    Effect.gen(function* () {
      const { load } = yield* HttpListener
      const unfinished = Array.from({ length: 3 }, () =>
        Effect.gen(function* () {
          const connection = yield* connect
          yield* connection.send(head({ ...create("never sent"), key: null }))
          expect((yield* connection.receive(operation("POST /v1/pets"))).status).toBe(401)
        })
      )
      yield* Effect.all(unfinished)
      expect(load()).toEqual({ connections: 3, inFlight: 0, shed: 0, cut: 0 })
      expectResponse(yield* exchange({ target }), none)
    }).pipe(Effect.provide(Harness.layer({ listener: { maxInFlight: 1 } })))
  )

  it.scopedLive("tells web pages so, too", () =>
    Effect.gen(function* () {
      const { asked, open, store } = yield* gated
      yield* Effect.gen(function* () {
        const busy = yield* connect
        yield* busy.send(list)
        yield* Queue.take(asked)
        const refused = yield* exchange({ target, headers: ["Origin: https://app.example"] })
        expect(refused.status).toBe(503)
        expect(headerOf(refused, "Access-Control-Allow-Origin")).toBe("*")
        yield* open
      }).pipe(
        Effect.provide(
          Harness.layer({ store, server: { corsOrigins: ["*"] }, listener: { maxInFlight: 1 } })
        )
      )
    })
  )

  it.scopedLive("counts a caller that disconnects no longer", () =>
    Effect.gen(function* () {
      const { asked, open, store } = yield* gated
      yield* Effect.gen(function* () {
        const { load } = yield* HttpListener
        const busy = yield* connect
        yield* busy.send(list)
        yield* Queue.take(asked)
        yield* busy.vanish
        yield* Effect.sync(() => load().inFlight).pipe(
          Effect.repeat({ until: (count) => count === 0, schedule: Schedule.spaced("5 millis") }),
          Effect.timeout("10 seconds")
        )
        yield* open
        expectResponse(yield* exchange({ target }), none)
      }).pipe(Effect.provide(Harness.layer({ store, listener: { maxInFlight: 1 } })))
    })
  )
})

const limits = {
  "in all": { maxConnections: 2 },
  "from one address": { maxConnectionsPerAddress: 2 }
}

describe.concurrent.each(Object.entries(limits))("past the limit of connections %s", (_, limit) => {
  it.scopedLive("answers one request with 503 and closes, while no connection is silent", () =>
    Effect.gen(function* () {
      const { asked, open, store } = yield* gated
      yield* Effect.gen(function* () {
        const busy = [yield* connect, yield* connect]
        for (const connection of busy) {
          yield* connection.send(list)
          yield* Queue.take(asked)
        }
        const surplus = yield* Effect.all([connect, connect])
        for (const connection of surplus) {
          yield* connection.send(list, list)
          expectResponse(yield* connection.receive(listing), closing(overloaded))
          expect(yield* connection.closed).toEqual({ rest: "", reset: false })
        }
        // One that sends nothing is closed soon, and none of them uses up the limit.
        yield* (yield* connect).closed
        yield* open
        for (const connection of busy) expectResponse(yield* connection.receive(listing), none)
        for (const connection of busy) yield* connection.vanish
        const { load } = yield* HttpListener
        yield* Effect.sync(() => load().connections).pipe(
          Effect.repeat({ until: (count) => count === 0, schedule: Schedule.spaced("5 millis") }),
          Effect.timeout("10 seconds")
        )
        expectResponse(yield* exchange({ target }), none)
      }).pipe(Effect.provide(Harness.layer({ store, listener: limit })))
    })
  )

  it.scopedLive("closes silent connections for those that send a request, the oldest first", () =>
    Effect.gen(function* () {
      const [first, second, third, fourth] = yield* Effect.all([connect, connect, connect, connect])
      yield* third.send(list)
      expectResponse(yield* third.receive(listing), none)
      yield* first.closed
      yield* fourth.send(list)
      expectResponse(yield* fourth.receive(listing), none)
      yield* second.closed
      // Those that have had a request are closed, too, some seconds after it.
      yield* exchange({ target }).pipe(
        Effect.repeat({
          until: ({ status }) => status === 200,
          schedule: Schedule.spaced("100 millis")
        }),
        Effect.timeout("10 seconds")
      )
      yield* third.closed
      yield* fourth.send(list)
      expectResponse(yield* fourth.receive(listing), none)
    }).pipe(Effect.provide(Harness.layer({ listener: limit })))
  )
})

it.scopedLive("a caller that tunnels and leaves is forgotten", () =>
  Effect.gen(function* () {
    const { load } = yield* HttpListener
    for (let at = 0; at < 5; at++) {
      const connection = yield* connect
      yield* connection.send(
        `${healthz.toString().repeat(2)}CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n`
      )
      yield* connection.vanish
    }
    yield* Effect.sync(load).pipe(
      Effect.repeat({
        until: ({ connections, inFlight }) => connections === 0 && inFlight === 0,
        schedule: Schedule.spaced("20 millis")
      }),
      Effect.timeout("15 seconds")
    )
  }).pipe(Effect.provide(Harness.layer()))
)
