/** Liveness and readiness. */
import { describe, expect, it } from "@effect/vitest"
import { ApiKeyRefused } from "@petstore/access/ApiKey"
import { ApiKeys } from "@petstore/access/ApiKeys"
import { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import * as PetStoreServer from "@petstore/http-server/PetStoreServer"
import * as MemoryPetStore from "@petstore/store-memory/MemoryPetStore"
import { Context, Deferred, Duration, Effect, Either, Fiber, Layer } from "effect"
import { connect, exchange } from "./support/Connection.ts"
import { answer, expectResponse, found, refusal, toHead } from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import * as Logs from "./support/Logs.ts"
import { create, operation, render } from "./support/Request.ts"

const ok = answer(200, '{"status":"ok"}')
const notReady = (why: string) => refusal("unavailable", why, ["Retry-After: 1"])
const probe = (target: string, method = "GET") => exchange({ target, method, key: null })

describe("while the service starts", () => {
  it.scopedLive("it is alive but not ready, and then both", () =>
    Effect.gen(function* () {
      const starting = notReady("the service is starting")
      const listener = yield* Layer.build(Harness.listener())
      const opened = yield* Deferred.make<void>()
      const opening = Layer.effectDiscard(Deferred.await(opened)).pipe(
        Layer.provideMerge(MemoryPetStore.layer)
      )
      const serving = Harness.serving().pipe(
        Layer.provide(opening),
        Layer.provide(Layer.succeedContext(listener))
      )
      const fiber = yield* Effect.forkScoped(Layer.build(serving))

      yield* Effect.gen(function* () {
        expectResponse(yield* probe("/healthz"), ok)
        expectResponse(yield* probe("/healthz", "HEAD"), toHead(ok))
        expectResponse(yield* probe("/readyz"), starting)
        expectResponse(yield* probe("/readyz", "HEAD"), toHead(starting))
        expectResponse(yield* exchange({ target: "/v1/pets" }), starting)
        expectResponse(yield* exchange({ target: "/v1/pets", key: null }), starting)
        expectResponse(yield* exchange(create('{"name":"n","categoryId":1}')), starting)

        yield* Deferred.succeed(opened, undefined)
        yield* Fiber.join(fiber)
        expectResponse(yield* probe("/healthz"), ok)
        expectResponse(yield* probe("/readyz"), ok)
        expectResponse(yield* exchange({ target: "/v1/pets" }), found("[]"))
      }).pipe(Effect.provide(listener))
    })
  )

  it.scopedLive("a connection that it refused is served when it has started", () =>
    Effect.gen(function* () {
      const listener = yield* Layer.build(Harness.listener())
      const connection = yield* Effect.provide(connect, listener)
      const ask = Effect.zipRight(
        connection.send(render({ target: "/readyz", key: null })),
        connection.receive(operation("GET /readyz"))
      )
      expectResponse(yield* ask, notReady("the service is starting"))
      yield* Harness.serving().pipe(
        Layer.provide(MemoryPetStore.layer),
        Layer.provide(Layer.succeedContext(listener)),
        Layer.build
      )
      expectResponse(yield* ask, ok)
    })
  )
})

describe.concurrent("while the store does not answer", () => {
  const silent = notReady("the store does not answer")
  const never = (how: string, list: Effect.Effect<never, StoreUnavailable>, why: string) =>
    it.scopedLive(`the service is alive but not ready, and logs why, once: it ${how}`, () => {
      const logs = Logs.make()
      const server = Harness.layer({ store: Harness.storeWith(() => ({ list: () => list })) })
      return Effect.gen(function* () {
        expectResponse(yield* probe("/healthz"), ok)
        expectResponse(yield* probe("/readyz"), silent)
        expectResponse(yield* probe("/readyz", "HEAD"), toHead(silent))
        expectResponse(yield* probe("/healthz"), ok)
        const warnings = logs.lines.filter(({ level }) => level === "WARN")
        expect(warnings).toMatchObject([{ message: `a request was refused: ${why}` }])
      }).pipe(Effect.provide(Layer.provide(server, logs.layer)))
    })

  never("is down", new StoreUnavailable({ reason: "down" }), "the store is down")
  never("is damaged", new StoreUnavailable({ reason: "damaged" }), "the store is damaged")
  const full = new StoreUnavailable({ reason: "full" })
  never("fails after a while", Effect.delay(full, "100 millis"), "the store is full")
  never("hangs", Effect.never, "Operation timed out after '2s'")

  it.scopedLive("the service is ready again as soon as it does", () =>
    Effect.gen(function* () {
      let down = false
      const wavering = Harness.storeWith((usual) => ({
        list: (query) =>
          Effect.suspend(() =>
            down ? new StoreUnavailable({ reason: "down" }) : usual.list(query)
          )
      }))
      yield* Effect.gen(function* () {
        for (const now of [false, true, false, true, false]) {
          down = now
          expectResponse(yield* probe("/readyz"), now ? silent : ok)
        }
      }).pipe(Effect.provide(Harness.layer({ store: wavering })))
    })
  )

  it.scopedLive("the service is not ready although the store cannot be interrupted", () =>
    Effect.gen(function* () {
      const released = yield* Deferred.make<never, StoreUnavailable>()
      const store = Harness.storeWith(() => ({
        list: () => Effect.uninterruptible(Deferred.await(released))
      }))
      yield* Effect.gen(function* () {
        const response = yield* Effect.exit(Effect.timeout(probe("/readyz"), "10 seconds"))
        yield* Deferred.fail(released, new StoreUnavailable({ reason: "down" }))
        expectResponse(yield* response, silent)
      }).pipe(Effect.provide(Harness.layer({ store })))
    })
  )
})

describe("while keys cannot be read", () => {
  const outdated = notReady("the API keys cannot be read")
  const keys = Layer.map(Harness.apiKeys, (context) =>
    Context.make(ApiKeys, {
      ...Context.get(context, ApiKeys),
      isCurrent: () => false,
      authenticate: () => Either.left(new ApiKeyRefused({ reason: "outdated", id: Harness.keyId }))
    })
  )
  const rateLimit = { count: 1, window: Duration.minutes(1) }
  const server = PetStoreServer.layer({ ...PetStoreServer.defaults, rateLimit }).pipe(
    Layer.provide(Harness.useCases),
    Layer.provide(MemoryPetStore.layer),
    Layer.provide(keys),
    Layer.provideMerge(Harness.listener())
  )

  it.scopedLive("the service is alive but not ready, and answers 503 instead of 401 or 429", () =>
    Effect.gen(function* () {
      expectResponse(yield* probe("/healthz"), ok)
      expectResponse(yield* probe("/readyz"), outdated)
      for (let at = 0; at < 3; at++) {
        expectResponse(yield* exchange({ target: "/v1/pets" }), outdated)
      }
    }).pipe(Effect.provide(server))
  )
})

describe("the probes", () => {
  it.scopedLive("change nothing and need little", () =>
    Effect.gen(function* () {
      for (let at = 0; at < 20; at++) expectResponse(yield* probe("/readyz"), ok)
      expect(yield* Harness.count).toBe(0)
    }).pipe(Effect.provide(Harness.layer()))
  )
})
