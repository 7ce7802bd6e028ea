/** Answers that are sent before the request has ended, small and large. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { connect } from "./support/Connection.ts"
import { closing, expectResponse, refusal } from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import { create, head, operation, render } from "./support/Request.ts"

const pet = '{"name":"n","categoryId":1}'
const add = operation("POST /v1/pets")
const list = operation("GET /v1/pets")

/** A server with answers of a few hundred kilobytes, which are sent in pieces. */
const large = Harness.layer({
  listener: { requestTimeout: "2 seconds", headersTimeout: "2 seconds" }
})
const fill = Effect.gen(function* () {
  const connection = yield* connect
  for (let at = 0; at < 5; at++) {
    yield* connection.send(render(create(`{"name":"${"n".repeat(60_000)}","categoryId":1}`)))
    yield* connection.receive(add)
  }
})
const largeBody = 300_000

describe.concurrent("an answer that closes the connection, before the body has ended", () => {
  const impatient = Harness.layer({
    listener: { requestTimeout: "1 second", headersTimeout: "1 second" }
  })
  for (const [what, request, status] of [
    [
      "of a caller without a key",
      { ...create(pet), key: null, headers: ["Connection: close"] },
      401
    ],
    ["of a request with two hosts", { ...create(pet), headers: ["Host: other"] }, 400]
  ] as const) {
    it.scopedLive(`does not wait for the body for ever: ${what}`, () =>
      Effect.gen(function* () {
        const connection = yield* connect
        yield* connection.send(head(request))
        expect((yield* connection.receive(add)).status).toBe(status)
        expect(yield* connection.closed).toEqual({ rest: "", reset: false })
      }).pipe(Effect.provide(impatient))
    )
  }
})

describe.concurrent("a large answer", () => {
  const listing = (rest: string) =>
    Buffer.concat([
      head({ target: "/v1/pets", headers: ["Transfer-Encoding: chunked"] }),
      Buffer.from(rest)
    ])

  for (const [what, rest] of [
    ["is malformed", "zz\r\n"],
    ["never ends", "1\r\nx\r\n"]
  ] as const) {
    it.scopedLive(`is whole, and the only one, when the body of its request ${what}`, () =>
      Effect.gen(function* () {
        yield* fill
        const connection = yield* connect
        yield* connection.send(listing(""))
        expect((yield* connection.receive(list)).body.length).toBeGreaterThan(largeBody)
        yield* connection.send(rest)
        expect(yield* connection.closed).toEqual({ rest: "", reset: false })
        const other = yield* connect
        yield* other.send(listing(rest))
        const { body, status } = yield* other.receive()
        if (status === 200) expect(body.length).toBeGreaterThan(largeBody)
        expect(yield* other.closed).toEqual({ rest: "", reset: false })
      }).pipe(Effect.provide(large))
    )
  }

  it.scopedLive("is whole although CONNECT follows", () =>
    Effect.gen(function* () {
      yield* fill
      const connection = yield* connect
      const tunnel = Buffer.from("CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n")
      yield* connection.send(Buffer.concat([render({ target: "/v1/pets" }), tunnel]))
      expect((yield* connection.receive(list)).body.length).toBeGreaterThan(largeBody)
      expectResponse(
        yield* connection.receive(operation("CONNECT a:1")),
        closing(refusal("bad_request", "CONNECT is not served here"))
      )
    }).pipe(Effect.provide(large))
  )
})
