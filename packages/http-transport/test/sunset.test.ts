/** The day from which a deprecated operation is gone, on the test's clock. */
// Not `it.scoped`: `layer` in another file replaces it for all that follow.
import { expect } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { exchange } from "./support/Connection.ts"
import {
  deprecation,
  expectResponse,
  found,
  noId,
  noKey,
  noThing,
  notAllowed,
  options,
  refusal,
  toHead
} from "./support/Expected.ts"
import { create } from "./support/Request.ts"
import { headerOf } from "./support/Response.ts"
import { clocked } from "./support/Served.ts"

const sunset = Date.UTC(2030, 11, 5)
const gone = refusal("gone", "this operation is gone; use /v1/things instead", deprecation)
const thing = found('{"id":1,"name":"n","count":1}', deprecation)
const at = (instant: number, target: string, method = "GET") =>
  Effect.zipRight(TestClock.setTime(instant), exchange({ target, method }))

clocked()(
  "an operation is removed on its day, to the millisecond, and nothing else is",
  function* () {
    const target = "/v1/things/1"
    yield* exchange(create('{"name":"n","count":1}'))
    expectResponse(yield* at(0, target), thing)
    expectResponse(yield* at(sunset - 1, target), thing)
    expectResponse(yield* at(sunset - 1, "/v1/things/2"), noThing("2"))
    expectResponse(yield* at(sunset - 1, "/v1/things/x"), noId)
    for (const other of [target, "/v1/things/2", "/v1/things/x"])
      expectResponse(yield* at(sunset, other), gone)
    expectResponse(yield* at(sunset, target, "HEAD"), toHead(gone))
    expectResponse(yield* at(Date.UTC(2100, 0), target), gone)

    const allow = "GET, HEAD, OPTIONS"
    expectResponse(yield* exchange({ target, key: null }), noKey)
    expectResponse(yield* exchange({ target, method: "OPTIONS" }), options(allow))
    expectResponse(yield* exchange({ target, method: "PUT" }), notAllowed(allow))
    expectResponse(
      yield* exchange({ target: "/v1/things" }),
      found('[{"id":1,"name":"n","count":1}]')
    )
  }
)

clocked({ server: { basePath: "/shop/v1" } })(
  "what replaces a removed operation follows the base path",
  function* () {
    const removed = yield* at(sunset, "/v1/things/1")
    expect(removed.body).toContain("use /shop/v1/things instead")
    expect(headerOf(removed, "Link")).toBe('</shop/v1/things>; rel="successor-version"')
  }
)
