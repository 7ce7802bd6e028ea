/** Liveness and readiness. */
import { describe, expect, it } from "@effect/vitest"
import { Authentication } from "@petstore/http-transport/Authentication"
import { HttpListener } from "@petstore/http-transport/HttpListener"
import type { Handler } from "@petstore/http-transport/Observer"
import { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { Context, Deferred, Duration, Effect, Either, Fiber, Layer } from "effect"
import { exchange } from "./support/Connection.ts"
import { answer, expectResponse, found, refusal, toHead } from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import * as Logs from "./support/Logs.ts"
import { create } from "./support/Request.ts"
import { live, served } from "./support/Served.ts"
import * as Things from "./support/Things.ts"

const ok = answer(200, '{"status":"ok"}')
const notReady = (why: string) => refusal("unavailable", why, ["Retry-After: 1"])
const probe = (target: string, method = "GET") => exchange({ target, method, key: null })

describe("while the service starts", () => {
  live("it is alive but not ready, and then both", function* () {
    const starting = notReady("the service is starting")
    const seen: Array<string> = []
    const around =
      (handler: Handler): Handler =>
      (exchange) => {
        seen.push(exchange.path)
        return handler(exchange)
      }
    const listener = yield* Layer.build(Harness.listener({ observers: [{ around }] }))
    const opened = yield* Deferred.make<void>()
    const opening = Layer.effectDiscard(Deferred.await(opened)).pipe(
      Layer.provideMerge(Things.layer())
    )
    const serving = Harness.serving().pipe(
      Layer.provide(opening),
      Layer.provide(Layer.succeedContext(listener))
    )
    const fiber = yield* Effect.forkScoped(Layer.build(serving))

    yield* Effect.gen(function* () {
      expectResponse(yield* probe("/healthz"), ok)
      expectResponse(yield* probe("/healthz", "HEAD"), toHead(ok))
      expectResponse(yield* probe("/healthz", "POST"), starting)
      expectResponse(yield* probe("/readyz"), starting)
      expectResponse(yield* probe("/readyz", "HEAD"), toHead(starting))
      expectResponse(yield* exchange({ target: "/v1/things" }), starting)
      expectResponse(yield* exchange({ target: "/v1/things", key: null }), starting)
      expectResponse(yield* exchange(create('{"name":"n","count":1}')), starting)

      expect(new Set(seen)).toEqual(new Set(["/healthz", "/readyz", "/v1/things"]))
      yield* Deferred.succeed(opened, undefined)
      yield* Fiber.join(fiber)
      expectResponse(yield* probe("/healthz"), ok)
      expectResponse(yield* probe("/readyz"), ok)
      expectResponse(yield* exchange({ target: "/v1/things" }), found("[]"))
    }).pipe(Effect.provide(listener))
  })

  live("it does not listen, unless it is to listen early", function* () {
    const context = yield* Layer.build(Harness.listener({ listensEarly: false }))
    const listener = Context.get(context, HttpListener)
    expect(listener.url).toMatch(/:0$/)
    yield* Harness.serving().pipe(
      Layer.provide(Things.layer()),
      Layer.provide(Layer.succeedContext(context)),
      Layer.build
    )
    expect(listener.url).not.toMatch(/:0$/)
    expectResponse(yield* Effect.provide(probe("/readyz"), context), ok)
  })
})

describe.concurrent("while the store does not answer", () => {
  const silent = notReady("the store does not answer")
  const never = (
    how: string,
    list: Effect.Effect<never, StoreUnavailable>,
    why: string,
    told = why
  ) => {
    const logs = Logs.make()
    const test = served({ shelf: () => ({ list: () => list }), logger: logs.layer })
    test(`the service is alive but not ready, and says why, and logs it at level debug: it ${how}`, function* () {
      expectResponse(yield* probe("/healthz"), ok)
      expectResponse(yield* probe("/readyz"), notReady(told))
      expectResponse(yield* probe("/readyz", "HEAD"), toHead(notReady(told)))
      const lines = logs.lines.filter(({ message }) => message === "the cause of a refusal")
      const line = { level: "DEBUG", cause: expect.stringContaining(why) }
      expect(lines).toMatchObject([line, line])
    })
  }

  never("is down", new StoreUnavailable({ reason: "down" }), "the store is down")
  never("is damaged", new StoreUnavailable({ reason: "damaged" }), "the store is damaged")
  const full = new StoreUnavailable({ reason: "full" })
  never("fails after a while", Effect.delay(full, "100 millis"), "the store is full")
  never("hangs", Effect.never, "Operation timed out after '2s'", "the store does not answer")
  never("breaks", Effect.die(new Error("a secret")), "a secret", "the store does not answer")

  it.scopedLive.each(["busy", "full", "read-only", "damaged", "incompatible", "down"] as const)(
    "the probe gets the same reason as requests: it is %s",
    (reason) =>
      Effect.gen(function* () {
        const { body } = yield* exchange({ target: "/v1/things" })
        expect(JSON.parse(body)).toMatchObject({ message: `the store is ${reason}` })
        expect((yield* probe("/readyz")).body).toBe(body)
      }).pipe(
        Effect.provide(
          Harness.layer({ shelf: () => ({ list: () => new StoreUnavailable({ reason }) }) })
        )
      )
  )

  live("the service is ready again as soon as it does", function* () {
    let down = false
    const wavering: Things.Change = ({ list }) => ({
      list: (limit) =>
        Effect.suspend(() => (down ? new StoreUnavailable({ reason: "down" }) : list(limit)))
    })
    yield* Effect.gen(function* () {
      for (const now of [false, true, false, true, false]) {
        down = now
        expectResponse(yield* probe("/readyz"), now ? notReady("the store is down") : ok)
      }
    }).pipe(Effect.provide(Harness.layer({ shelf: wavering })))
  })

  live("the service is not ready although the store cannot be interrupted", function* () {
    const released = yield* Deferred.make<never, StoreUnavailable>()
    const list = Effect.uninterruptible(Deferred.await(released))
    yield* Effect.gen(function* () {
      expectResponse(yield* probe("/readyz"), silent)
      yield* Deferred.fail(released, new StoreUnavailable({ reason: "down" }))
    }).pipe(Effect.provide(Harness.layer({ shelf: () => ({ list: () => list }) })))
  })
})

describe("while keys cannot be read", () => {
  const outdated = notReady("the API keys cannot be read")
  const outOfDate = Layer.succeed(Authentication, {
    authenticate: () => Either.left({ reason: "outdated", id: Harness.keyId }),
    isReady: () => false
  })
  const rateLimit = { count: 1, window: Duration.minutes(1) }

  served({ authentication: outOfDate, server: { rateLimit } })(
    "the service is alive but not ready, and answers 503 instead of 401 or 429",
    function* () {
      expectResponse(yield* probe("/healthz"), ok)
      expectResponse(yield* probe("/readyz"), outdated)
      for (let at = 0; at < 3; at++) {
        expectResponse(yield* exchange({ target: "/v1/things" }), outdated)
      }
    }
  )
})
