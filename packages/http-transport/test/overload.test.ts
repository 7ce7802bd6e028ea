/** Requests that are too many get a quick 503, so that the others stay fast. */
import { describe, expect } from "@effect/vitest"
import { HttpListener } from "@petstore/http-transport/HttpListener"
import { Effect, Queue, Schedule } from "effect"
import { connect, exchange } from "./support/Connection.ts"
import { closing, expectResponse, found, refusal } from "./support/Expected.ts"
import { create, head, operation, render } from "./support/Request.ts"
import { headerOf } from "./support/Response.ts"
import { served, withGate } from "./support/Served.ts"

const target = "/v1/things"
const list = render({ target })
const listing = operation("GET /v1/things")
const healthz = render({ target: "/healthz", key: null })
const none = found("[]")
const overloaded = refusal("unavailable", "the service is overloaded", ["Retry-After: 1"])

describe.concurrent("past the limit of requests in flight", () => {
  withGate({ listener: { maxInFlight: 2 } })(
    "answers 503 on connections that stay open, until others have finished",
    function* ({ asked, open }) {
      const { load } = yield* HttpListener
      const busy = [yield* connect, yield* connect]
      for (const connection of busy) {
        yield* connection.send(list)
        yield* Queue.take(asked)
      }
      expect(load()).toEqual({ connections: 2, inFlight: 2, shed: 0, cut: 0 })
      const third = yield* connect
      for (let at = 0; at < 3; at++) {
        expectResponse(yield* third.ask({ target }), overloaded)
      }
      expect(load()).toEqual({ connections: 3, inFlight: 2, shed: 3, cut: 0 })
      expect((yield* exchange({ target: "/healthz", key: null })).status).toBe(200)
      expect((yield* exchange({ target: "/readyz", key: null })).status).toBe(503)
      yield* open
      for (const connection of busy) expectResponse(yield* connection.receive(listing), none)
      expectResponse(yield* third.ask({ target }), none)
      expect((yield* exchange({ target: "/readyz", key: null })).status).toBe(200)
    }
  )

  served({ listener: { maxInFlight: 1 } })(
    "counts a request until it is answered, whatever its caller still sends",
    function* () {
      const { load } = yield* HttpListener
      const unfinished = Array.from({ length: 3 }, () =>
        Effect.gen(function* () {
          const connection = yield* connect
          yield* connection.send(head({ ...create("never sent"), key: null }))
          expect((yield* connection.receive(operation("POST /v1/things"))).status).toBe(401)
        })
      )
      yield* Effect.all(unfinished)
      expect(load()).toEqual({ connections: 3, inFlight: 0, shed: 0, cut: 0 })
      expectResponse(yield* exchange({ target }), none)
    }
  )

  withGate({ server: { corsOrigins: ["*"] }, listener: { maxInFlight: 1 } })(
    "tells web pages so, too",
    function* ({ asked, open }) {
      const busy = yield* connect
      yield* busy.send(list)
      yield* Queue.take(asked)
      const refused = yield* exchange({ target, headers: ["Origin: https://app.example"] })
      expect(refused.status).toBe(503)
      expect(headerOf(refused, "Access-Control-Allow-Origin")).toBe("*")
      yield* open
    }
  )

  withGate({ listener: { maxInFlight: 1 } })(
    "counts a caller that disconnects no longer",
    function* ({ asked, open }) {
      const { load } = yield* HttpListener
      const busy = yield* connect
      yield* busy.send(list)
      yield* Queue.take(asked)
      yield* busy.vanish
      yield* Effect.sync(() => load().inFlight).pipe(
        Effect.repeat({ until: (count) => count === 0, schedule: Schedule.spaced("5 millis") })
      )
      yield* open
      expectResponse(yield* exchange({ target }), none)
    }
  )
})

const limited = { listener: { maxConnections: 2 } }

describe.concurrent("past the limit of connections", () => {
  withGate(limited)(
    "answers one request with 503 and closes, if all connections are busy",
    function* ({ asked, open }) {
      const { load } = yield* HttpListener
      const busy = [yield* connect, yield* connect]
      for (const connection of busy) {
        yield* connection.send(list)
        yield* Queue.take(asked)
      }
      for (let times = 0; times < 2; times++) {
        const surplus = yield* connect
        yield* surplus.send(list, list)
        expectResponse(yield* surplus.receive(listing), closing(overloaded))
        expect(yield* surplus.closed).toEqual({ rest: "", reset: false })
      }
      expect(load().shed).toBe(2)
      // One that waits on a connection is not refused for another that is silent.
      for (const { send } of busy) yield* send(list)
      yield* connect
      yield* open
      for (const { receive } of [...busy, ...busy])
        expect((yield* receive(listing)).status).toBe(200)
      expectResponse(yield* exchange({ target }), none)
    }
  )

  served(limited)("closes those that are not busy, the longest idle first", function* () {
    const [first, second] = [yield* connect, yield* connect]
    expectResponse(yield* second.ask({ target }), none)
    expectResponse(yield* first.ask({ target }), none)
    const third = yield* connect
    yield* second.closed
    expectResponse(yield* third.ask({ target }), none)
    expectResponse(yield* first.ask({ target }), none)
  })
})

served()("a caller that tunnels and leaves is forgotten", function* () {
  const { load } = yield* HttpListener
  for (let at = 0; at < 5; at++) {
    const connection = yield* connect
    yield* connection.send(`${healthz.toString().repeat(2)}CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n`)
    yield* connection.vanish
  }
  yield* Effect.sync(load).pipe(
    Effect.repeat({
      until: ({ connections, inFlight }) => connections === 0 && inFlight === 0,
      schedule: Schedule.spaced("20 millis")
    })
  )
})
