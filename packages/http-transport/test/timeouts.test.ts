/** Slow callers: refused when they exceed a time limit, and served otherwise. */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { type Connection, connect } from "./support/Connection.ts"
import {
  closing,
  created,
  type Expected,
  expectResponse,
  found,
  noKey,
  refusal,
  withId
} from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import { create, head, operation, render } from "./support/Request.ts"
import { served } from "./support/Served.ts"

const tooSlow = closing(refusal("request_timeout", "the request arrived too slowly"))
const asked = operation("POST /v1/things")
const thing = '{"name":"n","count":1}'
const within = (limit: "1 second" | "3 seconds") => ({
  // Those for the headers take no longer, though they may by default.
  listener: { requestTimeout: limit, keepAliveTimeout: limit }
})
/** For what can only be too slow. */
const impatient = within("1 second")
/** For what must be read or answered before it may be too slow, on a busy machine too. */
const patient = within("3 seconds")
/** The connections of the patient stay open for three seconds instead of five. */
const shortly = (expected: Expected): Expected => ({
  ...expected,
  headers: expected.headers.map((line) => line.replace("timeout=5", "timeout=3"))
})

const lateBy = "5 seconds"

const listsNothing = ({ ask }: Connection) =>
  Effect.map(ask({ target: "/v1/things" }), (response) =>
    expectResponse(response, shortly(found("[]")))
  )

/** The service with handlers that answer later than the patient wait for a request. */
const late = served({
  ...patient,
  shelf: ({ add, list }) => ({
    add: (thing) => Effect.delay(add(thing), lateBy),
    list: (limit) => Effect.delay(list(limit), lateBy)
  })
})

describe.concurrent("a request that is too slow", () => {
  const slow = (what: string, ...parts: ReadonlyArray<string | Uint8Array>) =>
    served(impatient)(`is refused ${what}`, function* () {
      const connection = yield* connect
      for (const part of parts) yield* connection.send(part)
      expectResponse(yield* connection.receive(), tooSlow)
      expect(yield* connection.closed).toEqual({ rest: "", reset: false })
      expect(yield* Harness.count).toBe(0)
    })

  slow("when nothing of it comes")
  slow("when half of its first line comes", "GET /v1/pe")
  slow("when some of its headers come", "GET /v1/things HTTP/1.1\r\nHost: localhost\r\n")
  slow("when its headers lack their last byte", head({ target: "/v1/things" }).subarray(0, -1))
  slow("when none of its body comes", head(create(thing)))
  slow("when some of its body comes", head(create(thing)), thing.slice(0, 10))
  slow("when its body lacks the last byte", head(create(thing)), thing.slice(0, -1))
  slow(
    "when its chunks do not end",
    head({
      method: "POST",
      target: "/v1/things",
      headers: ["Content-Type: application/json", "Transfer-Encoding: chunked"]
    }),
    `16\r\n${thing}\r\n`
  )

  served({ listener: { requestTimeout: "1 hour" } })(
    "is refused when its headers do not come in ten seconds",
    function* () {
      const connection = yield* connect
      yield* connection.send("GET /v1/pe")
      // By itself Node looks every thirty seconds.
      const refused = yield* Effect.timeout(connection.receive(), "28 seconds")
      expectResponse(refused, tooSlow)
    }
  )

  served(patient)("is refused with its own request id when that was read", function* () {
    const connection = yield* connect
    yield* connection.send(head({ ...create(thing), headers: ["X-Request-Id: abc"] }))
    expectResponse(yield* connection.receive(asked), withId(tooSlow, "abc"))
  })

  served(impatient)("is refused although it never stops coming", function* () {
    const connection = yield* connect
    yield* connection.send(head(create(`{"name":"${"n".repeat(1000)}`)))
    const trickle = Effect.repeat(
      Effect.zipRight(Effect.sleep("50 millis"), connection.send("n")),
      { times: 900 }
    )
    yield* Effect.fork(trickle)
    expectResponse(yield* connection.receive(asked), tooSlow)
  })

  served(patient)("is refused after another that was not", function* () {
    const connection = yield* connect
    yield* connection.send(render(create(thing)), head(create(thing)), thing.slice(0, 10))
    const first = shortly(created('"name":"n","count":1')(1))
    expectResponse(yield* connection.receive(asked), first)
    expectResponse(yield* connection.receive(asked), tooSlow)
    expect(yield* connection.closed).toEqual({ rest: "", reset: false })
    expect(yield* Harness.count).toBe(1)
  })

  late("is refused only after the answer to another that is still handled", function* () {
    const connection = yield* connect
    yield* connection.send(render(create(thing)), head(create(thing)), thing.slice(0, 10))
    expect((yield* connection.receive(asked)).status).toBe(201)
    expectResponse(yield* connection.receive(asked), tooSlow)
    expect(yield* Harness.count).toBe(1)
  })

  served(patient)("is closed without a second response if it was answered already", function* () {
    const connection = yield* connect
    yield* connection.send(head({ ...create(thing), key: null }))
    expectResponse(yield* connection.receive(asked), shortly(noKey))
    expect((yield* connection.closed).rest).toBe("")
  })
})

describe.concurrent("a request that is not too slow", () => {
  late("may take its time to be answered", function* () {
    yield* listsNothing(yield* connect)
  })

  served()("may come in small pieces", function* () {
    const connection = yield* connect
    for (const byte of render(create(thing))) {
      yield* connection.send(Uint8Array.of(byte))
      yield* Effect.sleep("1 millis")
    }
    const expected = created('"name":"n","count":1')(1)
    expectResponse(yield* connection.receive(asked), expected)
  })

  served(patient)(
    "leaves a connection that is closed without a response if no other follows",
    function* () {
      const connection = yield* connect
      yield* listsNothing(connection)
      expect(yield* connection.closed).toEqual({ rest: "", reset: false })
    }
  )
})

describe("a request on a connection that was idle for long", () => {
  served({ listener: { keepAliveTimeout: "200 millis" } })(
    "is answered if it arrived while the process was blocked",
    function* () {
      const connection = yield* connect
      const list = render({ target: "/v1/things" })
      const block = Effect.sync(() => {
        const end = performance.now() + 1500
        while (performance.now() < end);
      })
      yield* connection.ask({ target: "/v1/things" })
      // In this phase of the event loop timers are the next, and what has arrived is read after them.
      yield* Effect.promise(() => new Promise(setImmediate))
      yield* connection.send(list)
      yield* block
      expect((yield* connection.receive(operation("GET /v1/things"))).status).toBe(200)
    }
  )
})
