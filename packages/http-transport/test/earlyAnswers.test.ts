/** Answers that are sent before the request has ended, small and large. */
import { describe, expect } from "@effect/vitest"
import { connect } from "./support/Connection.ts"
import { closing, expectResponse, refusal } from "./support/Expected.ts"
import { fillWith } from "./support/Pages.ts"
import { create, head, operation, render } from "./support/Request.ts"
import { served } from "./support/Served.ts"

const thing = '{"name":"n","count":1}'
const add = operation("POST /v1/things")
const list = operation("GET /v1/things")

/** A server with answers of a few hundred kilobytes, which take more than one write of the kernel. */
const large = served({ listener: { requestTimeout: "2 seconds" } })
const largeBody = 300_000
const fill = fillWith(largeBody)

describe.concurrent("an answer that closes the connection, before the body has ended", () => {
  const impatient = served({ listener: { requestTimeout: "1 second" } })
  for (const [what, request, status] of [
    [
      "of a caller without a key",
      { ...create(thing), key: null, headers: ["Connection: close"] },
      401
    ],
    ["of a request with two hosts", { ...create(thing), headers: ["Host: other"] }, 400]
  ] as const) {
    impatient(`does not wait for the body for ever: ${what}`, function* () {
      const connection = yield* connect
      yield* connection.send(head(request))
      expect((yield* connection.receive(add)).status).toBe(status)
      expect(yield* connection.closed).toEqual({ rest: "", reset: false })
    })
  }
})

describe.concurrent("a large answer", () => {
  const listing = (rest: string) =>
    Buffer.concat([
      head({ target: "/v1/things", headers: ["Transfer-Encoding: chunked"] }),
      Buffer.from(rest)
    ])

  for (const [what, rest] of [
    ["is malformed", "zz\r\n"],
    ["never ends", "1\r\nx\r\n"]
  ] as const) {
    large(`is whole, and the only one, when the body of its request ${what}`, function* () {
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
    })
  }

  large("is whole although CONNECT follows", function* () {
    yield* fill
    const connection = yield* connect
    const tunnel = Buffer.from("CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n")
    yield* connection.send(Buffer.concat([render({ target: "/v1/things" }), tunnel]))
    expect((yield* connection.receive(list)).body.length).toBeGreaterThan(largeBody)
    expectResponse(
      yield* connection.receive(operation("CONNECT a:1")),
      closing(refusal("bad_request", "CONNECT is not served here"))
    )
  })
})
