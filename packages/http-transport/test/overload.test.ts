/** Requests that are too many get a quick 503, so that the others stay fast. */
import { describe, expect, vi } from "@effect/vitest"
import { HttpListener } from "@petstore/http-transport/HttpListener"
import { Effect, Queue, Schedule } from "effect"
import { connect, exchange } from "./support/Connection.ts"
import { closing, expectResponse, found, refusal } from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import * as Logs from "./support/Logs.ts"
import { fill, page, pageLength } from "./support/Pages.ts"
import { create, head, operation, render } from "./support/Request.ts"
import { headerOf } from "./support/Response.ts"
import { live, served, withGate } from "./support/Served.ts"

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

const limits = {
  "in all": { maxConnections: 2 },
  "from one address": { maxConnectionsPerAddress: 2 }
}

describe.concurrent.each(Object.entries(limits))("past the limit of connections %s", (_, limit) => {
  withGate({ listener: limit })(
    "answers one request with 503 and closes, while no connection is silent",
    function* ({ asked, open }) {
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
        Effect.repeat({ until: (count) => count === 0, schedule: Schedule.spaced("5 millis") })
      )
      expectResponse(yield* exchange({ target }), none)
    }
  )

  served({ listener: limit })(
    "closes silent connections for those that send a request, the oldest first",
    function* () {
      const [first, second, third, fourth] = yield* Effect.all([connect, connect, connect, connect])
      expectResponse(yield* third.ask({ target }), none)
      yield* first.closed
      expectResponse(yield* fourth.ask({ target }), none)
      yield* second.closed
      // Those that have had a request are closed, too, some seconds after it.
      yield* exchange({ target }).pipe(
        Effect.repeat({
          until: ({ status }) => status === 200,
          schedule: Schedule.spaced("100 millis")
        })
      )
      yield* third.closed
      expectResponse(yield* fourth.ask({ target }), none)
    }
  )
})

live(
  "a caller that reads nothing is closed in the end, and until then requests are shed",
  function* () {
    const timers = vi.spyOn(globalThis, "setInterval")
    const cleared = vi.spyOn(globalThis, "clearInterval")
    yield* Effect.addFinalizer(() => Effect.sync(() => vi.restoreAllMocks()))
    const logs = Logs.make()
    const listener = { maxUnsentBytes: 1000, drainTimeout: 0 } as const
    const test = Effect.gen(function* () {
      const { load } = yield* HttpListener
      const [sweep] =
        timers.mock.calls.find(([, millis]) => millis === 1000) ?? expect.fail("no timer")
      yield* fill
      const deaf = yield* connect
      yield* deaf.reading(false)
      yield* deaf.send(...Array(5).fill(page))
      const status = Effect.map(exchange({ target: "/v1/things/2" }), ({ status }) => status)
      yield* Effect.repeat(status, {
        until: (status) => status === 503,
        schedule: Schedule.spaced("5 millis"),
        times: 1000
      })
      expect(load().shed).toBeGreaterThan(0)
      expect((yield* exchange({ target: "/healthz" })).status).toBe(200)
      const minute = Effect.sync(() => {
        // One more than the seconds of the time limit, since the first may see progress.
        for (let second = 0; second <= 60; second++) sweep()
        return load().cut
      })
      // Between two answers nothing waits.
      yield* Effect.repeat(minute, {
        until: (cut) => cut === 1,
        schedule: Schedule.spaced("5 millis"),
        times: 1000
      })
      expect(load().cut).toBe(1)
      yield* deaf.reading(true)
      expect((yield* deaf.closed).rest.length).toBeLessThan(5 * pageLength)
      expect(yield* status).toBe(404)
      expect(logs.lines).toMatchObject([
        {
          message: "a connection was closed: its caller did not read the response",
          annotations: { address: "127.0.0.1" }
        }
      ])
      const { unsentBytes } = logs.lines[0]?.annotations ?? {}
      expect(unsentBytes).toBeGreaterThan(0)
    })
    yield* Effect.provide(test, Harness.layer({ listener, logger: logs.layer }))
    const at = timers.mock.calls.findIndex(([, millis]) => millis === 1000)
    expect(cleared).toHaveBeenCalledWith(timers.mock.results[at]?.value)
  }
)

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
