/** What the one exit for answers knows of each of them. */
import { expect, it } from "@effect/vitest"
import { Authentication } from "@petstore/http-transport/Authentication"
import * as ClientAddress from "@petstore/http-transport/ClientAddress"
import {
  bodyBytesOf,
  isProbe,
  type Observer,
  parametersOf
} from "@petstore/http-transport/Observer"
import { Context, Effect, Either, Layer, Schedule } from "effect"
import { connect, exchange } from "./support/Connection.ts"
import * as Harness from "./support/Harness.ts"
import { create, render } from "./support/Request.ts"
import { served } from "./support/Served.ts"

it.scopedLive("reports every answer once, with its request, key and duration", () => {
  const seen: Array<ReadonlyArray<unknown>> = []
  const addresses = new Set<string>()
  const addressOf = ClientAddress.make(0)
  let isSlow = false
  const anyId = expect.any(String)
  const test = Effect.gen(function* () {
    yield* exchange({ target: "/v1/things", headers: ["X-Request-Id: one"] })
    yield* exchange({ target: "/v1/things/7" })
    yield* exchange(create('{"name":"Rex","count":1}'))
    yield* exchange({ target: "/v1/things", key: "wrong" })
    yield* exchange({ target: "/v1/things", key: null })
    yield* exchange({ target: "/healthz", key: null })
    yield* exchange({ target: "/nothing", key: null })
    yield* exchange({ target: "/v1/things", method: "PUT" })
    yield* exchange({ target: "/v1/things", key: "ended" })
    const connection = yield* connect
    yield* connection.send("this is not HTTP\r\n\r\n")
    yield* connection.receive()
    const impatient = yield* connect
    isSlow = true
    yield* impatient.send(render({ target: "/v1/things" }))
    yield* Effect.sleep("100 millis")
    yield* impatient.vanish
    yield* Effect.sync(() => seen.length).pipe(
      Effect.repeat({ until: (count) => count === 11, schedule: Schedule.spaced("5 millis") })
    )
    // Also of the caller that is gone.
    expect([...addresses]).toEqual(["127.0.0.1"])
    expect(seen).toEqual([
      ["GET", "/v1/things", "/v1/things", 200, Harness.keyId, undefined, "one"],
      ["GET", "/v1/things/7", "/v1/things/{thingId}", 404, Harness.keyId, undefined, anyId],
      ["POST", "/v1/things", "/v1/things", 201, Harness.keyId, undefined, anyId],
      ["GET", "/v1/things", undefined, 401, undefined, "unknown", anyId],
      ["GET", "/v1/things", undefined, 401, undefined, "missing", anyId],
      ["GET", "/healthz", "/healthz", 200, undefined, undefined, anyId],
      ["GET", "/nothing", undefined, 404, undefined, undefined, anyId],
      // Its methods are known, so that metrics count it there.
      ["PUT", "/v1/things", "/v1/things", 405, Harness.keyId, undefined, anyId],
      ["GET", "/v1/things", undefined, 401, "9876543210", "expired", anyId],
      [null, "", undefined, 400, undefined, undefined, anyId],
      ["GET", "/v1/things", "/v1/things", 499, Harness.keyId, undefined, anyId]
    ])
  })
  const authentication = Layer.map(Harness.authentication, (context) => {
    const known = Context.get(context, Authentication)
    const authenticate: typeof known.authenticate = (token) =>
      token === "ended"
        ? Either.left({ reason: "expired", id: "9876543210" })
        : known.authenticate(token)
    return Context.make(Authentication, { ...known, authenticate })
  })
  const layer = Harness.layer({
    authentication,
    shelf: ({ list }) => ({ list: (limit) => (isSlow ? Effect.never : list(limit)) }),
    listener: {
      observers: [
        {
          onAnswer: ({ notes, path, request, requestId, startedAt }, { status }) => {
            const { keyId, keyRefusal, route } = notes
            expect(performance.now() - startedAt).toBeGreaterThanOrEqual(0)
            const { method } = request
            addresses.add(addressOf({ request }))
            seen.push([method, path, route, status, keyId, keyRefusal, requestId])
          }
        }
      ]
    }
  })
  return Effect.provide(test, layer)
})

const facts: Array<ReadonlyArray<unknown>> = []

served({
  listener: {
    observers: [
      {
        onAnswer: (exchange, reply) => {
          facts.push([
            parametersOf(exchange.notes),
            bodyBytesOf(exchange, reply),
            isProbe(exchange)
          ])
          if (reply.body?.isKept) facts.push([`${exchange.path} is kept`])
        }
      }
    ]
  }
})("tells the parameters, the bytes of the body, if kept, and if it was a probe", function* () {
  const empty = (yield* exchange({ target: "/v1/things?limit=7&cursor=x" })).body.length
  yield* exchange({ target: "/v1/things?limit=7&unknown=1" })
  yield* exchange({ target: "/v1/things", method: "HEAD" })
  yield* exchange({ target: "/readyz" })
  const { body } = yield* exchange({ target: "/llms.txt" })
  const parameters = { limit: 7, id: 9007199254740993n, isOpen: false, after: undefined }
  expect(parametersOf({ parameters })).toEqual({
    limit: 7,
    id: "9007199254740993",
    isOpen: "false"
  })
  expect(facts).toEqual([
    // Invalid ones are not decoded.
    [{}, empty, false],
    [{ limit: 7 }, 2, false],
    [{ limit: 20 }, 0, false],
    [{}, 15, true],
    // Sending it takes no more memory.
    [{}, Buffer.byteLength(body), false],
    ["/llms.txt is kept"]
  ])
})

const told: Array<string> = []
const observer = (name: string): Observer => ({
  around: (handler) => (exchange) => {
    told.push(`${name} around`)
    return handler(exchange)
  },
  onAnswer: (_, { status }) => told.push(`${name} ${status}`)
})

served({ listener: { observers: [observer("a"), {}, observer("b")] } })(
  "reaches every observer; each wraps those before it",
  function* () {
    yield* exchange({ target: "/healthz" })
    expect(told).toEqual(["b around", "a around", "a 200", "b 200"])
  }
)
