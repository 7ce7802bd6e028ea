import { describe, expect, it, vi } from "@effect/vitest"
import {
  type Failure,
  type Fetch,
  InvalidInput,
  layer,
  layerConfig,
  PetStoreClient,
  type RetryDetails
} from "@petstore/http-client/effect"
import {
  Chunk,
  Clock,
  Config,
  ConfigProvider,
  Deferred,
  Effect,
  Fiber,
  Random,
  Redacted,
  Schedule,
  TestClock,
  Tracer
} from "effect"
import { type Fault, keys, refuse, stall, startProxy } from "./support/Proxy.ts"

const apiKey = Redacted.make(keys.all)
const unavailable = refuse(503, "unavailable")

/** The service behind a proxy. */
const proxied = (...faults: ReadonlyArray<Fault>) => Effect.promise(() => startProxy(faults))

/** Repeats an effect, in real time, until its result is the expected one. */
const eventually = <A>(effect: Effect.Effect<A>, isExpected: (value: A) => boolean) =>
  Effect.zipRight(
    Effect.promise(() => new Promise(setImmediate)),
    effect
  ).pipe(Effect.repeat({ until: isExpected }))

describe("PetStoreClient", () => {
  it.effect("takes its options from the configuration", () =>
    Effect.gen(function* () {
      const { requests, url } = yield* proxied()
      const client = layerConfig({
        baseUrl: Config.string("PETS_URL"),
        apiKey: Config.redacted("PETS_KEY"),
        timeout: Config.duration("PETS_TIMEOUT").pipe(Config.withDefault("20 seconds"))
      })
      const listWith = (entries: Record<string, string>) =>
        Effect.flatMap(PetStoreClient, ({ pets }) => pets.list()).pipe(
          Effect.provide(client),
          Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(entries))))
        )
      const entries = { PETS_URL: url, PETS_KEY: keys.all }
      expect(yield* listWith(entries)).toEqual({ pets: [], next: undefined })
      expect(requests[0]?.headers.authorization).toBe(`Bearer ${keys.all}`)
      const error = yield* Effect.flip(listWith({ PETS_URL: url }))
      expect(error).toMatchObject({ _op: "MissingData", path: ["PETS_KEY"] })
      const secret = "a secret"
      const refused = yield* Effect.flip(listWith({ ...entries, PETS_KEY: secret }))
      expect(refused).toEqual(new InvalidInput("apiKey must be non-empty text without spaces"))
    })
  )

  it.effect("aborts its request when it is interrupted", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<void>()
      const closed = yield* Deferred.make<void>()
      const { url: baseUrl } = yield* proxied(({ response }) => {
        response.on("close", () => Deferred.unsafeDone(closed, Effect.void))
        Deferred.unsafeDone(arrived, Effect.void)
      })
      const { pets } = yield* Effect.provide(PetStoreClient, layer({ baseUrl, apiKey }))
      const call = yield* Effect.fork(pets.list())
      yield* Deferred.await(arrived)
      yield* Fiber.interrupt(call)
      yield* Deferred.await(closed)
    })
  )

  it.effect("waits by the Clock", () =>
    Effect.gen(function* () {
      const { requests, url: baseUrl } = yield* proxied(
        refuse(429, "rate_limited", { "Retry-After": "3600" }),
        refuse(503, "unavailable", { "Retry-After": "60" }),
        stall
      )
      const client = layer({ baseUrl, apiKey, timeout: "2 hours" })
      const { pets } = yield* Effect.provide(PetStoreClient, client)
      const call = yield* Effect.fork(Effect.flip(pets.list()))
      // The timeout, and the wait for the second try.
      yield* eventually(TestClock.sleeps(), (sleeps) => Chunk.size(sleeps) === 2)
      yield* TestClock.adjust("59 minutes")
      expect(requests).toHaveLength(1)
      yield* TestClock.adjust("2 minutes")
      yield* eventually(Effect.void, () => requests.length === 2)
      yield* eventually(TestClock.sleeps(), (sleeps) => Chunk.size(sleeps) === 2)
      yield* TestClock.adjust("2 minutes")
      yield* eventually(Effect.void, () => requests.length === 3)
      yield* TestClock.adjust("2 hours")
      // The cause is the error of the last try.
      const cause = { code: "unavailable" }
      expect(yield* Fiber.join(call)).toMatchObject({ code: "timed_out", cause })
    })
  )

  it.effect("does not wait beyond what is left of its time", () =>
    Effect.gen(function* () {
      const limited = refuse(429, "rate_limited", { "Retry-After": "3600" })
      const { url: baseUrl } = yield* proxied(limited, limited)
      const onRetry = ({ attempt }: RetryDetails) => expect(attempt).toBe(1)
      const client = layer({ baseUrl, apiKey, timeout: "2 hours", onRetry })
      const { pets } = yield* Effect.provide(PetStoreClient, client)
      const call = yield* Effect.fork(Effect.flip(pets.list()))
      yield* eventually(TestClock.sleeps(), (sleeps) => Chunk.size(sleeps) === 2)
      yield* TestClock.adjust("61 minutes")
      expect(yield* Fiber.join(call)).toMatchObject({ code: "rate_limited" })
    })
  )

  it.effect("does not wait until the very end of its time", () =>
    Effect.gen(function* () {
      const headers = { "Retry-After": "30" }
      const fetch: Fetch = async () => Response.json({}, { status: 503, headers })
      const onRetry = () => Promise.reject(new Error("tried again"))
      const client = layer({ baseUrl: "http://pets.test", apiKey, fetch, onRetry })
      const { pets } = yield* Effect.provide(PetStoreClient, client)
      const call = Effect.withRandom(pets.list(), Random.fixed([0]))
      expect(yield* Effect.flip(call)).toMatchObject({ code: "unavailable", retryAfter: 30 })
    })
  )

  it.effect("interrupts the effect of its key", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const ended = yield* Deferred.make<void>()
      const key = Effect.zipRight(Deferred.succeed(started, undefined), Effect.never).pipe(
        Effect.onInterrupt(() => Deferred.succeed(ended, undefined))
      )
      const client = layer({ baseUrl: "http://pets.test", apiKey: key })
      const { pets } = yield* Effect.provide(PetStoreClient, client)
      const call = yield* Effect.fork(pets.list())
      yield* Deferred.await(started)
      yield* Fiber.interrupt(call)
      yield* Deferred.await(ended)
    })
  )

  it.effect("leaves no timer behind, even if it cannot be interrupted", () =>
    Effect.gen(function* () {
      let timers = 0
      const sleep = () =>
        Effect.async<void>(() => {
          timers++
          return Effect.sync(() => timers--)
        })
      const clock = Object.assign(Clock.make(), { sleep })
      const fetch: Fetch = async () => Response.json([])
      const client = layer({ baseUrl: "http://pets.test", apiKey, fetch })
      const { pets } = yield* Effect.provide(PetStoreClient, client)
      yield* Effect.uninterruptible(pets.list()).pipe(Effect.withClock(clock))
      yield* eventually(Effect.void, () => timers === 0)
    })
  )

  it.live("retries by the caller's schedule, if there is one", () =>
    Effect.gen(function* () {
      const { requests, url: baseUrl } = yield* proxied(...Array(9).fill(unavailable))
      const delays: Array<number> = []
      const onRetry = ({ delay }: RetryDetails) => void delays.push(delay)
      const client = layer({ baseUrl, apiKey, onRetry, timeout: "50 seconds" })
      const { pets } = yield* Effect.provide(PetStoreClient, client)
      const schedule = Schedule.intersect(Schedule.exponential("2 millis"), Schedule.recurs(4))
      expect(yield* Effect.flip(pets.list({}, { schedule }))).toMatchObject({ code: "unavailable" })
      expect(delays).toEqual([2, 4, 8, 16])
      const tooSlow = Schedule.spaced("1 minute")
      yield* Effect.flip(pets.add({ name: "Rex", categoryId: 1 }, { schedule: tooSlow }))
      const ifLimited = Schedule.recurWhile<Failure<string>>(({ status }) => status === 429)
      yield* Effect.flip(pets.list({}, { schedule: ifLimited }))
      expect(requests.length).toBe(7)
      // Without a schedule the jitter is that of the caller's Random.
      const retried = Effect.withRandom(pets.list({}, { retries: 1 }), Random.fixed([0.01]))
      yield* Effect.flip(retried)
      expect(delays.at(-1)).toBe(5)
    })
  )

  it.live("does not go on if it is interrupted while the schedule decides", () =>
    Effect.gen(function* () {
      const { url: baseUrl } = yield* proxied(unavailable)
      const deciding = yield* Deferred.make<void>()
      const decided = yield* Deferred.make<void>()
      const onRetry = vi.fn()
      const { pets } = yield* Effect.provide(PetStoreClient, layer({ baseUrl, apiKey, onRetry }))
      const decide = Deferred.succeed(deciding, undefined).pipe(
        Effect.zipRight(Deferred.await(decided)),
        Effect.uninterruptible
      )
      const schedule = Schedule.mapEffect(Schedule.forever, () => decide)
      const call = yield* Effect.fork(pets.list({}, { schedule }))
      yield* Deferred.await(deciding)
      yield* Fiber.interrupt(call)
      yield* Deferred.succeed(decided, undefined)
      yield* Effect.promise(() => new Promise(setImmediate))
      expect(onRetry).not.toHaveBeenCalled()
    })
  )

  it.effect("adds another pet at each run of its effect, unless it has a key", () =>
    Effect.gen(function* () {
      const keysOf = (options?: { readonly idempotencyKey: string }) =>
        Effect.gen(function* () {
          const sent: Array<string | null> = []
          const fetch: Fetch = async (_, { headers }) => {
            sent.push(headers.get("idempotency-key"))
            return Response.json({ code: "internal_error", message: "" }, { status: 500 })
          }
          const client = layer({ baseUrl: "http://pets.test", apiKey, fetch })
          const { pets } = yield* Effect.provide(PetStoreClient, client)
          yield* pets
            .add({ name: "Rex", categoryId: 1 }, options)
            .pipe(Effect.retry({ times: 2 }), Effect.flip)
          return sent
        })
      expect(new Set(yield* keysOf()).size).toBe(3)
      expect(yield* keysOf({ idempotencyKey: "a" })).toEqual(Array(3).fill('"a"'))
    })
  )

  it.effect("makes a span for each call, which the service continues", () =>
    Effect.gen(function* () {
      const { requests, url: baseUrl } = yield* proxied()
      const { pets } = yield* Effect.provide(PetStoreClient, layer({ baseUrl, apiKey }))
      const spans: Array<Tracer.Span> = []
      const native = yield* Effect.tracer
      const tracer = Tracer.make({
        context: native.context,
        span: (...span) => {
          const made = native.span(...span)
          spans.push(made)
          return made
        }
      })
      yield* pets.list({ limit: 5 }).pipe(Effect.withSpan("caller"), Effect.withTracer(tracer))
      const [caller, call] = spans
      expect(call).toMatchObject({ name: "PetStoreClient.listPets", kind: "client" })
      expect(call?.parent).toMatchObject({ _tag: "Some", value: { spanId: caller?.spanId } })
      expect(Object.fromEntries(call?.attributes ?? [])).toMatchObject({
        "url.full": `${baseUrl}/v1/pets?limit=5`,
        "http.response.status_code": 200
      })
      expect(requests[0]?.headers["traceparent"]).toBe(`00-${caller?.traceId}-${call?.spanId}-01`)
      const unrecorded = Tracer.make({
        context: native.context,
        span: (...span) => Object.assign(native.span(...span), { sampled: false })
      })
      yield* Effect.withTracer(pets.list(), unrecorded)
      expect(requests[1]?.headers["traceparent"]).toMatch(/-00$/)
      const traceparent = `00-${"1".repeat(32)}-${"2".repeat(16)}-01`
      yield* pets.list({}, { headers: { traceparent } })
      expect(requests[2]?.headers).toMatchObject({ traceparent })
    })
  )
})
