/** Slow callers: refused when they exceed a time limit, and served otherwise. */
import { describe, expect, it } from "@effect/vitest"
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

const tooSlow = closing(refusal("request_timeout", "the request arrived too slowly"))
const asked = operation("POST /v1/pets")
const pet = '{"name":"n","categoryId":1}'
const within = (limit: "1 second" | "3 seconds") => ({
  listener: { headersTimeout: limit, requestTimeout: limit, keepAliveTimeout: limit }
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

const listsNothing = (connection: Connection) =>
  Effect.gen(function* () {
    yield* connection.send(render({ target: "/v1/pets" }))
    const response = yield* connection.receive(operation("GET /v1/pets"))
    expectResponse(response, shortly(found("[]")))
  })

/** The service on a store that answers later than the patient wait for a request. */
const late = (change: Parameters<typeof Harness.storeWith>[0]) =>
  Harness.layer({ ...patient, store: Harness.storeWith(change) })

describe.concurrent("a request that is too slow", () => {
  const slow = (what: string, ...parts: ReadonlyArray<string | Uint8Array>) =>
    it.scopedLive(`is refused ${what}`, () =>
      Effect.gen(function* () {
        const connection = yield* connect
        for (const part of parts) yield* connection.send(part)
        expectResponse(yield* connection.receive(), tooSlow)
        expect(yield* connection.closed).toEqual({ rest: "", reset: false })
        expect(yield* Harness.count).toBe(0)
      }).pipe(Effect.provide(Harness.layer(impatient)))
    )

  slow("when nothing of it comes")
  slow("when half of its first line comes", "GET /v1/pe")
  slow("when some of its headers come", "GET /v1/pets HTTP/1.1\r\nHost: localhost\r\n")
  slow("when its headers lack their last byte", head({ target: "/v1/pets" }).subarray(0, -1))
  slow("when none of its body comes", head(create(pet)))
  slow("when some of its body comes", head(create(pet)), pet.slice(0, 10))
  slow("when its body lacks the last byte", head(create(pet)), pet.slice(0, -1))
  slow(
    "when its chunks do not end",
    head({
      method: "POST",
      target: "/v1/pets",
      headers: ["Content-Type: application/json", "Transfer-Encoding: chunked"]
    }),
    `1b\r\n${pet}\r\n`
  )

  it.scopedLive("is refused with its own request id when that was read", () =>
    Effect.gen(function* () {
      const connection = yield* connect
      yield* connection.send(head({ ...create(pet), headers: ["X-Request-Id: abc"] }))
      expectResponse(yield* connection.receive(asked), withId(tooSlow, "abc"))
    }).pipe(Effect.provide(Harness.layer(patient)))
  )

  it.scopedLive("is refused although it never stops coming", () =>
    Effect.gen(function* () {
      const connection = yield* connect
      yield* connection.send(head(create(`{"name":"${"n".repeat(1000)}`)))
      const trickle = Effect.repeat(
        Effect.zipRight(Effect.sleep("50 millis"), connection.send("n")),
        { times: 900 }
      )
      yield* Effect.fork(trickle)
      expectResponse(yield* connection.receive(asked), tooSlow)
    }).pipe(Effect.provide(Harness.layer(impatient)))
  )

  it.scopedLive("is refused after another that was not", () =>
    Effect.gen(function* () {
      const connection = yield* connect
      yield* connection.send(render(create(pet)), head(create(pet)), pet.slice(0, 10))
      const first = shortly(created('"name":"n","categoryId":1')(1))
      expectResponse(yield* connection.receive(asked), first)
      expectResponse(yield* connection.receive(asked), tooSlow)
      expect(yield* connection.closed).toEqual({ rest: "", reset: false })
      expect(yield* Harness.count).toBe(1)
    }).pipe(Effect.provide(Harness.layer(patient)))
  )

  it.scopedLive("is refused only after the answer to another that still waits for the store", () =>
    Effect.gen(function* () {
      const connection = yield* connect
      yield* connection.send(render(create(pet)), head(create(pet)), pet.slice(0, 10))
      expect((yield* connection.receive(asked)).status).toBe(201)
      expectResponse(yield* connection.receive(asked), tooSlow)
      expect(yield* Harness.count).toBe(1)
    }).pipe(Effect.provide(late(({ add }) => ({ add: (pet) => Effect.delay(add(pet), lateBy) }))))
  )

  it.scopedLive("is closed without a second response if it was answered already", () =>
    Effect.gen(function* () {
      const connection = yield* connect
      yield* connection.send(head({ ...create(pet), key: null }))
      expectResponse(yield* connection.receive(asked), shortly(noKey))
      expect((yield* connection.closed).rest).toBe("")
    }).pipe(Effect.provide(Harness.layer(patient)))
  )
})

describe.concurrent("a request that is not too slow", () => {
  it.scopedLive("may take its time to be answered", () =>
    Effect.gen(function* () {
      const connection = yield* connect
      yield* listsNothing(connection)
    }).pipe(
      Effect.provide(late(({ list }) => ({ list: (query) => Effect.delay(list(query), lateBy) })))
    )
  )

  it.scopedLive("may come in small pieces", () =>
    Effect.gen(function* () {
      const connection = yield* connect
      for (const byte of render(create(pet))) {
        yield* connection.send(Uint8Array.of(byte))
        yield* Effect.sleep("1 millis")
      }
      const expected = created('"name":"n","categoryId":1')(1)
      expectResponse(yield* connection.receive(asked), expected)
    }).pipe(Effect.provide(Harness.layer()))
  )

  it.scopedLive("leaves a connection that is closed without a response if no other follows", () =>
    Effect.gen(function* () {
      const connection = yield* connect
      yield* listsNothing(connection)
      expect(yield* connection.closed).toEqual({ rest: "", reset: false })
    }).pipe(Effect.provide(Harness.layer(patient)))
  )
})

describe("a request on a connection that was idle for long", () => {
  it.scopedLive("is answered if it arrived while the process was blocked", () =>
    Effect.gen(function* () {
      const connection = yield* connect
      const list = render({ target: "/v1/pets" })
      const block = Effect.sync(() => {
        const end = performance.now() + 1500
        while (performance.now() < end);
      })
      yield* connection.send(list)
      yield* connection.receive(operation("GET /v1/pets"))
      // In this phase of the event loop timers are the next, and what has arrived is read after them.
      yield* Effect.promise(() => new Promise(setImmediate))
      yield* connection.send(list)
      yield* block
      expect((yield* connection.receive(operation("GET /v1/pets"))).status).toBe(200)
    }).pipe(Effect.provide(Harness.layer({ listener: { keepAliveTimeout: "200 millis" } })))
  )
})
