/** How often a key may be used, on the test's clock. */
// Not `it.scoped`: `layer` in another file replaces it for all that follow.
import { describe, effect, expect, it, scoped } from "@effect/vitest"
import { type Grant, KeyDigest } from "@petstore/access/ApiKey"
import { type Clock, Effect, TestClock } from "effect"
import * as RateLimit from "../dist/internal/RateLimit.js"
import { connect, exchange } from "./support/Connection.ts"
import {
  answer,
  created,
  expectResponse,
  forbidden,
  noKey,
  notFound,
  refusal,
  toHead,
  wrongKey
} from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import { create, head, keys, operation } from "./support/Request.ts"

const target = "/v1/pets"
const none = answer(200, "[]")
const tooOften = (wait: number) =>
  refusal("rate_limited", `at most 2 requests a minute; wait ${wait} s`, [`Retry-After: ${wait}`])

for (const [name, store] of Object.entries(Harness.stores)) {
  describe(`a limit of two requests a minute (${name})`, () => {
    const twice = Harness.layer({ store, server: { requestsPerMinute: 2 } })

    scoped("lets two through and then none until the minute is over", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(1_000_000)
        expectResponse(yield* exchange({ target }), none)
        yield* TestClock.adjust("10 seconds")
        expectResponse(yield* exchange({ target }), none)
        expectResponse(yield* exchange({ target }), tooOften(50))
        yield* TestClock.adjust("500 millis")
        expectResponse(yield* exchange({ target, method: "HEAD" }), toHead(tooOften(50)))
        yield* TestClock.adjust("49499 millis")
        expectResponse(yield* exchange({ target }), tooOften(1))
        yield* TestClock.adjust("1 millis")
        expectResponse(yield* exchange({ target }), none)
        expectResponse(yield* exchange({ target }), none)
        expectResponse(yield* exchange({ target }), tooOften(60))
      }).pipe(Effect.provide(twice))
    )

    scoped("counts each key separately", () =>
      Effect.gen(function* () {
        yield* exchange({ target })
        yield* exchange({ target })
        expectResponse(yield* exchange({ target }), tooOften(60))
        expectResponse(yield* exchange({ target, key: keys.read }), none)
        expectResponse(yield* exchange({ target, key: keys.write }), forbidden("pets:read"))
      }).pipe(Effect.provide(twice))
    )

    scoped("counts every path and method of /v1, and refuses before anything is read", () =>
      Effect.gen(function* () {
        expectResponse(yield* exchange({ target: "/v1/none" }), notFound)
        const made = created('"name":"n","categoryId":1')
        expectResponse(yield* exchange(create('{"name":"n","categoryId":1}')), made(1))
        for (const path of ["/v1/pets", "/v1/pets/1", "/v1/none", "/v1/pets?limit=0"]) {
          expectResponse(yield* exchange({ target: path }), tooOften(60))
        }
        const connection = yield* connect
        yield* connection.send(head(create("never sent")))
        expectResponse(yield* connection.receive(operation("POST /v1/pets")), tooOften(60))
        expect(yield* Harness.count).toBe(1)
      }).pipe(Effect.provide(twice))
    )

    scoped("counts neither the probes nor callers without a key", () =>
      Effect.gen(function* () {
        for (let at = 0; at < 5; at++) {
          expectResponse(yield* exchange({ target, key: null }), noKey)
          expectResponse(yield* exchange({ target, key: "wrong" }), wrongKey)
          expect((yield* exchange({ target: "/healthz" })).status).toBe(200)
          expect((yield* exchange({ target: "/readyz" })).status).toBe(200)
          expect((yield* exchange({ target: "/openapi.json" })).status).toBe(200)
        }
        expectResponse(yield* exchange({ target }), none)
        expectResponse(yield* exchange({ target }), none)
        expectResponse(yield* exchange({ target }), tooOften(60))
      }).pipe(Effect.provide(twice))
    )
  })

  describe(`no limit (${name})`, () => {
    scoped("limits nothing", () =>
      Effect.gen(function* () {
        for (let at = 0; at < 300; at++) expectResponse(yield* exchange({ target }), none)
      }).pipe(Effect.provide(Harness.layer({ store })))
    )
  })
}

describe("a limit while the wall clock is set", () => {
  const key: Grant = { digest: KeyDigest.make("a".repeat(64)), scopes: ["pets:read"] }
  const hour = 3_600_000

  for (const [how, change] of [
    ["back", -hour],
    ["forward", hour]
  ] as const) {
    effect(`${how} by an hour does not change the elapsed time`, () =>
      Effect.gen(function* () {
        const usual = yield* Effect.clock
        let wall = 0
        const clock: Clock.Clock = {
          ...usual,
          unsafeCurrentTimeMillis: () => usual.unsafeCurrentTimeMillis() + wall,
          unsafeCurrentTimeNanos: () => usual.unsafeCurrentTimeNanos()
        }
        const limited = RateLimit.make(1, clock)
        expect(limited(key)).toBeUndefined()
        wall = change
        yield* TestClock.adjust("20 seconds")
        expect(limited(key)?.headers.slice(-2)).toEqual(["Retry-After", "40"])
        yield* TestClock.adjust("40 seconds")
        expect(limited(key)).toBeUndefined()
      })
    )
  }
})

describe("Effect's clock", () => {
  it.live("measures elapsed time independently of the wall clock", () =>
    Effect.gen(function* () {
      const clock = yield* Effect.clock
      const before = clock.unsafeCurrentTimeNanos()
      const { now } = Date
      Date.now = () => now() - 3_600_000
      const after = clock.unsafeCurrentTimeNanos()
      Date.now = now
      expect(after).toBeGreaterThanOrEqual(before)
    })
  )
})
