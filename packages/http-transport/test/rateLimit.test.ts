/** How often a key may be used, on the test's clock. */
import { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
// Not `it.scoped`: `layer` in another file replaces it for all that follow.
import { describe, effect, expect } from "@effect/vitest"
import type { Caller } from "@petstore/http-transport/Authentication"
import { type Clock, Duration, Effect, TestClock } from "effect"
import * as RateLimit from "../src/internal/api/RateLimit.ts"
import * as Exchange from "../src/internal/exchange/Exchange.ts"
import { connect, exchange } from "./support/Connection.ts"
import {
  created,
  type Expected,
  expectResponse,
  forbidden,
  found,
  noKey,
  notFound,
  refusal,
  toHead,
  wrongKey
} from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import { create, head, keys, operation } from "./support/Request.ts"
import { clocked } from "./support/Served.ts"

const target = "/v1/things"
const none = found("[]")

/** An answer with the fields of the IETF's draft. */
const counted = (expected: Expected, left: number, wait: number, policy = "key"): Expected => ({
  ...expected,
  headers: [
    ...expected.headers,
    `RateLimit-Policy: "${policy}";q=2;w=60`,
    `RateLimit: "${policy}";r=${left};t=${wait}`
  ]
})
const tooOften = (wait: number, policy?: string) =>
  counted(
    refusal("rate_limited", `at most 2 requests in 60 s; wait ${wait} s`, [`Retry-After: ${wait}`]),
    0,
    wait,
    policy
  )

describe("a limit of two requests a minute", () => {
  const twice = clocked({
    server: { rateLimit: { count: 2, window: Duration.minutes(1) } }
  })

  twice("lets two through and then none until the minute is over", function* () {
    yield* TestClock.setTime(1_000_000)
    expectResponse(yield* exchange({ target }), counted(none, 1, 60))
    yield* TestClock.adjust("10 seconds")
    expectResponse(yield* exchange({ target }), counted(none, 0, 50))
    expectResponse(yield* exchange({ target }), tooOften(50))
    yield* TestClock.adjust("500 millis")
    expectResponse(yield* exchange({ target, method: "HEAD" }), toHead(tooOften(50)))
    yield* TestClock.adjust("49499 millis")
    expectResponse(yield* exchange({ target }), tooOften(1))
    yield* TestClock.adjust("1 millis")
    expectResponse(yield* exchange({ target }), counted(none, 1, 60))
    expectResponse(yield* exchange({ target }), counted(none, 0, 60))
    expectResponse(yield* exchange({ target }), tooOften(60))
  })

  twice("counts each key separately", function* () {
    yield* exchange({ target })
    yield* exchange({ target })
    expectResponse(yield* exchange({ target }), tooOften(60))
    expectResponse(yield* exchange({ target, key: keys.read }), counted(none, 1, 60))
    const refused = counted(forbidden("things:read"), 1, 60)
    expectResponse(yield* exchange({ target, key: keys.write }), refused)
  })

  twice("counts every path and method of /v1, and refuses before anything is read", function* () {
    expectResponse(yield* exchange({ target: "/v1/none" }), counted(notFound, 1, 60))
    const made = created('"name":"n","count":1')(1)
    expectResponse(yield* exchange(create('{"name":"n","count":1}')), counted(made, 0, 60))
    for (const path of ["/v1/things", "/v1/things/1", "/v1/none", "/v1/things?limit=0"]) {
      expectResponse(yield* exchange({ target: path }), tooOften(60))
    }
    const connection = yield* connect
    yield* connection.send(head(create("never sent")))
    expectResponse(yield* connection.receive(operation("POST /v1/things")), tooOften(60))
    expect(yield* Harness.count).toBe(1)
    // On the test's clock the service would wait for the rest of the request.
    yield* connection.vanish
  })

  twice("counts neither the probes nor callers without a key", function* () {
    for (let at = 0; at < 5; at++) {
      expectResponse(yield* exchange({ target, key: null }), noKey)
      expect((yield* exchange({ target: "/healthz" })).status).toBe(200)
      expect((yield* exchange({ target: "/readyz" })).status).toBe(200)
      expect((yield* exchange({ target: "/openapi.json" })).status).toBe(200)
    }
    expectResponse(yield* exchange({ target }), counted(none, 1, 60))
    expectResponse(yield* exchange({ target }), counted(none, 0, 60))
    expectResponse(yield* exchange({ target }), tooOften(60))
  })

  twice(
    "limits wrong keys by address, and lets right ones of the same address through",
    function* () {
      for (const key of ["wrong", "another"]) {
        // No proxy is trusted to name an address, unless some are configured.
        const headers = [`X-Forwarded-For: 192.0.2.${key.length}`]
        expectResponse(yield* exchange({ target, key, headers }), wrongKey)
      }
      expectResponse(yield* exchange({ target, key: "third" }), tooOften(60, "address"))
      expectResponse(yield* exchange({ target }), counted(none, 1, 60))
      yield* TestClock.adjust("1 minute")
      expectResponse(yield* exchange({ target, key: "fourth" }), wrongKey)
    }
  )
})

describe("a limit", () => {
  const key: Caller = { digest: "a", scopes: [] }
  const hour = 3_600_000
  const rateLimit = { count: 1, window: Duration.minutes(1) }
  const options = { rateLimit, trustedHops: 1 }
  const onceAMinute = (clock: Clock.Clock) => RateLimit.make(options, clock)
  // The same for all: making them takes far longer than a limit.
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  /** What a request with this key, or with a wrong one from this address, has to wait. */
  const waits = (
    limit: ReturnType<typeof RateLimit.make>,
    by: Caller | string,
    keyRefusal?: string
  ) => {
    request.headers["x-forwarded-for"] = typeof by === "string" ? by : "192.0.2.1"
    const exchange = new Exchange.Exchange(request, response, false)
    if (keyRefusal !== undefined) exchange.notes.keyRefusal = keyRefusal
    const refusal = limit(exchange, typeof by === "string" ? undefined : by)
    return refusal?.headers.at(-1)
  }

  effect("does not change when the wall clock is set back", () =>
    Effect.gen(function* () {
      let wall = hour
      const usual = yield* Effect.clock
      const clock: Clock.Clock = {
        ...usual,
        unsafeCurrentTimeMillis: () => wall,
        unsafeCurrentTimeNanos: () => usual.unsafeCurrentTimeNanos()
      }
      const limit = onceAMinute(clock)
      expect(waits(limit, key)).toBeUndefined()
      wall = 0
      yield* TestClock.adjust("20 seconds")
      expect(waits(limit, key)).toEqual(["Retry-After", "40"])
      yield* TestClock.adjust("40 seconds")
      expect(waits(limit, key)).toBeUndefined()
    })
  )

  effect("tells callers whole seconds, none of them too early", () =>
    Effect.gen(function* () {
      const rateLimit = { count: 1, window: Duration.millis(1500) }
      const limit = RateLimit.make({ ...options, rateLimit }, yield* Effect.clock)
      const exchange = new Exchange.Exchange(request, response, false)
      for (const millis of [0, 499, 1, 999]) {
        yield* TestClock.adjust(millis)
        limit(exchange, key)
      }
      const waited = [2, 2, 1, 1].map((wait) => [
        ["RateLimit-Policy", '"key";q=1;w=2'],
        ["RateLimit", `"key";r=0;t=${wait}`]
      ])
      expect(exchange.headers).toEqual(waited.flat())
      expect(limit(exchange, key)?.body?.content).toContain("at most 1 requests in 2 s; wait 1 s")
    })
  )

  effect("keeps fifty thousand windows, and forgets those that are not used", () =>
    Effect.gen(function* () {
      const limit = onceAMinute(yield* Effect.clock)
      const address = (at: number) => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`
      const fill = (from: number, to: number) => {
        for (let at = from; at < to; at++) waits(limit, address(at))
      }
      const refused = ["Retry-After", "60"]
      fill(0, 99_000)
      // One that is used is kept.
      expect(waits(limit, address(1))).toEqual(refused)
      fill(100_000, 145_000)
      expect(waits(limit, address(1))).toEqual(refused)
      expect(waits(limit, address(0))).toBeUndefined()
      // One that begins again is as any other.
      yield* TestClock.adjust("1 minute")
      expect(waits(limit, address(1))).toBeUndefined()
      fill(200_000, 240_000)
      expect(waits(limit, address(1))).toEqual(refused)
    })
  )

  effect("counts the addresses of one IPv6 network together", () =>
    Effect.gen(function* () {
      const limit = onceAMinute(yield* Effect.clock)
      expect(waits(limit, "2001:db8:0:1::1")).toBeUndefined()
      expect(waits(limit, "2001:DB8:0:1:ffff::2")).toEqual(["Retry-After", "60"])
      expect(waits(limit, "2001:db8:0:2::1")).toBeUndefined()
    })
  )
})
