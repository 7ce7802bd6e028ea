import { describe, expect, it } from "@effect/vitest"
import { type ApiKey, Instant, type KeyDigest } from "@petstore/access/ApiKey"
import type { ApiKeyStore, Use } from "@petstore/access/ApiKeyStore"
import {
  Clock,
  Deferred,
  Duration,
  Effect,
  TestClock as EffectTestClock,
  Exit,
  Fiber,
  Logger,
  LogLevel,
  Option,
  Scope
} from "effect"
import * as KeyDirectory from "../src/internal/KeyDirectory.ts"
import * as KeyTable from "../src/internal/KeyTable.ts"
import { digestOf, down, keyOf, scoped, unused } from "./support/Keys.ts"

/** Effect's clock without its warnings, which a busy machine would add to what is gathered. */
const silent = Logger.withMinimumLogLevel(LogLevel.None)
const TestClock = {
  adjust: (duration: Duration.DurationInput) => silent(EffectTestClock.adjust(duration)),
  setTime: (millis: number) => silent(EffectTestClock.setTime(millis))
}

/** Half a minute past a full one. */
const start = 1_700_000_010_000
const minute = 60_000
const [a, b, stranger] = [digestOf("a"), digestOf("b"), digestOf("c")]

/** A store that records its calls, and fails on demand. */
const makeStore = (keys: ReadonlyArray<ApiKey>) => {
  const state = {
    keys,
    /** How long a read of the keys takes, from when they were read, and a note of uses. */
    delay: Effect.void as Effect.Effect<void>,
    isDown: false,
    takesNoUses: false,
    /** Whether all keys are read each time, not only those that have changed. */
    isAll: true,
    /** The versions whose changes were asked for. */
    asked: [] as Array<string | undefined>,
    /** How many times the keys were read. */
    read: 0,
    tried: 0,
    noted: [] as Array<ReadonlyArray<Use>>,
    /** When they were noted. */
    notedAt: [] as Array<number>
  }
  const store: ApiKeyStore["Type"] = {
    ...unused,
    changes: (since) =>
      Effect.suspend(() => {
        state.asked.push(since)
        if (state.isDown) return down
        const isAll = state.isAll || since === undefined
        const keys = isAll ? state.keys : []
        const version = String(state.read++)
        return Effect.as(state.delay, { version, keys, isAll })
      }),
    noteUses: (uses, now) =>
      Effect.suspend(() => {
        state.tried++
        if (state.takesNoUses) return down
        state.noted.push(uses)
        state.notedAt.push(now)
        const at = new Map(uses.map((use) => [use.id, use.at]))
        state.keys = state.keys.map((key) => {
          const lastUsed = at.get(key.id)
          return lastUsed === undefined ? key : { ...key, lastUsed }
        })
        return state.delay
      })
  }
  return { state, store }
}

const setUp = (keys: ReadonlyArray<ApiKey>, options: KeyDirectory.Options = {}) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const { state, store } = makeStore(keys)
    const directory = yield* KeyDirectory.make(store, options)
    const opens = (digest: KeyDigest) => Effect.isSuccess(directory.authenticate(digest))
    return { directory, opens, state }
  })

/** The exit of a request with a key that is refused at once. */
const refusal = (reason: string) => ({ cause: { error: { reason } } })

const unanswered = "ERROR: the store of keys did not answer as it should"

/** A test that gathers what is logged. */
const logging = (
  name: string,
  body: (logs: Array<string>) => ReturnType<Parameters<typeof scoped>[1]>
) =>
  scoped(name, function* () {
    const logs: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => {
      logs.push(`${logLevel.label}: ${[message].flat()[0]}`)
    })
    const steps = Effect.gen(() => body(logs))
    yield* Effect.provide(steps, Logger.replace(Logger.defaultLogger, logger))
  })

describe("authenticate", () => {
  scoped("returns the scopes of a valid key, and rejects any other", function* () {
    const scopes = ["pets:write", "pets:read"] as const
    const { directory } = yield* setUp([keyOf("a"), keyOf("b", { scopes })])
    const id = "a".repeat(10)
    expect(yield* directory.authenticate(a)).toMatchObject({
      id,
      digest: a,
      scopes: ["pets:read"]
    })
    expect(yield* directory.authenticate(b)).toMatchObject({ digest: b, scopes })
    const failure = yield* Effect.flip(directory.authenticate(stranger))
    expect(failure).toMatchObject({
      _tag: "ApiKeyRefused",
      reason: "unknown",
      message: "the API key is unknown"
    })
  })

  it.scoped.each([
    ["expires", { expires: start + 1000 }],
    ["retires", { retires: start + 1000, expires: start + minute }]
  ] as const)("refuses a key from the very moment it %s", ([, ends]) =>
    Effect.gen(function* () {
      const { opens } = yield* setUp([keyOf("a", ends)])
      yield* TestClock.adjust("999 millis")
      expect(yield* opens(a)).toBe(true)
      yield* TestClock.adjust("1 millis")
      expect(yield* opens(a)).toBe(false)
    })
  )

  it.scoped.each([
    ["expired", { expires: start }],
    ["rotated", { retires: start }],
    ["revoked", { revoked: start }]
  ] as const)("says that a key is %s, and which one", ([reason, ends]) =>
    Effect.gen(function* () {
      const { directory } = yield* setUp([keyOf("a", ends)])
      const refused = yield* Effect.flip(directory.authenticate(a))
      expect(refused).toMatchObject({ reason, id: "a".repeat(10) })
    })
  )

  scoped("is not undone by a read that began earlier and took longer", function* () {
    const slow = yield* Deferred.make<void>()
    const { opens, state } = yield* setUp([])
    state.keys = [keyOf("a")]
    state.delay = Deferred.await(slow)
    yield* TestClock.adjust("500 millis")
    state.keys = [keyOf("a", { revoked: start })]
    state.delay = Effect.void
    // One that overtakes would end now.
    yield* TestClock.adjust("500 millis")
    yield* Deferred.succeed(slow, undefined)
    yield* TestClock.adjust("500 millis")
    expect(yield* opens(a)).toBe(false)
  })

  scoped("accepts fixed keys as well as those of the store", function* () {
    const grant = { digest: b, scopes: ["pets:write"] as const }
    const { directory, opens, state } = yield* setUp([keyOf("a")], { fixed: [grant] })
    expect(yield* directory.authenticate(b)).toBe(grant)
    state.keys = []
    yield* TestClock.adjust("20 seconds")
    expect(yield* opens(a)).toBe(false)
    expect(yield* directory.authenticate(b)).toBe(grant)
    // It is in no store, so its use is not recorded.
    yield* TestClock.adjust("10 seconds")
    expect(state.tried).toBe(0)
  })

  scoped("takes a fixed key that was issued, too, for what it was issued as", function* () {
    const grants = [a, b].map((digest) => ({ digest, scopes: ["pets:write"] as const }))
    const keys = [keyOf("a"), keyOf("b", { revoked: start })]
    const { directory, opens, state } = yield* setUp(keys, { fixed: grants })
    expect(yield* directory.authenticate(a)).toEqual(keyOf("a"))
    expect(yield* opens(b)).toBe(false)
    // Until the issued one is gone.
    state.keys = []
    yield* TestClock.adjust("500 millis")
    expect(yield* directory.authenticate(b)).toBe(grants[1])
  })

  scoped("asks the store for nothing, and answers at once", function* () {
    const { directory, state } = yield* setUp([keyOf("a")])
    const asked = state.asked.length
    for (let time = 0; time < 1000; time++) {
      expect(directory.authenticate(a)).toMatchObject({ _tag: "Success" })
      expect(directory.authenticate(b)).toMatchObject({ _tag: "Failure" })
    }
    expect(state.asked.length).toBe(asked)
    expect(state.tried).toBe(0)
  })
})

describe("what changes in the store", () => {
  scoped("is known within a second", function* () {
    const { opens, state } = yield* setUp([keyOf("a")])
    // A change may come right after a look.
    for (const wait of [0, 1, 250, 499, 500, 501, 999]) {
      state.keys = [keyOf("b")]
      yield* TestClock.adjust("1 second")
      expect(yield* Effect.all([opens(a), opens(b)])).toEqual([false, true])
      state.keys = [keyOf("a"), keyOf("b", { revoked: 0 })]
      yield* TestClock.adjust("1 second")
      expect(yield* Effect.all([opens(a), opens(b)])).toEqual([true, false])
      yield* TestClock.adjust(wait)
    }
  })

  scoped("is asked for since the version that was read last", function* () {
    const { state } = yield* setUp([keyOf("a")])
    yield* TestClock.adjust("1 second")
    state.isDown = true
    yield* TestClock.adjust("1 second")
    state.isDown = false
    yield* TestClock.adjust("1 second")
    expect(state.asked).toEqual([undefined, "0", "1", "2", "2", "2", "3"])
  })

  scoped("may be that two keys have changed digests", function* () {
    const { opens, state } = yield* setUp([keyOf("a"), keyOf("b", { revoked: start })])
    state.keys = [keyOf("a", { digest: b }), keyOf("b", { digest: a, revoked: start })]
    yield* TestClock.adjust("500 millis")
    expect(yield* Effect.all([opens(a), opens(b)])).toEqual([false, true])
    // The digest that a key has given away is no longer its own.
    state.keys = [keyOf("a", { digest: b })]
    yield* TestClock.adjust("500 millis")
    expect(yield* Effect.all([opens(a), opens(b)])).toEqual([false, true])
  })

  scoped("is no longer read when the scope of an uninterruptible caller closes", function* () {
    const { state, store } = makeStore([keyOf("a")])
    const scope = yield* Scope.make()
    yield* Effect.uninterruptible(Scope.extend(KeyDirectory.make(store, {}), scope))
    yield* TestClock.adjust("10 seconds")
    const closing = yield* Effect.forkDaemon(Scope.close(scope, Exit.void))
    yield* TestClock.adjust("10 seconds")
    expect(Option.isSome(yield* Fiber.poll(closing))).toBe(true)
    const asked = state.asked.length
    yield* TestClock.adjust("10 seconds")
    expect(state.asked.length).toBe(asked)
  })

  scoped(
    "is not found while the store is down: known keys still work until they end",
    function* () {
      const { opens, state } = yield* setUp([keyOf("a", { expires: start + 30_000 })])
      state.isDown = true
      yield* TestClock.adjust("20 seconds")
      expect(yield* opens(a)).toBe(true)
      yield* TestClock.adjust("10 seconds")
      expect(yield* opens(a)).toBe(false)
      state.isDown = false
      state.keys = [keyOf("b")]
      yield* TestClock.adjust("1 second")
      expect(yield* opens(b)).toBe(true)
    }
  )

  for (const [what, delay] of [
    ["a defect", Effect.dieMessage("broken")],
    ["reads that time out", Effect.never]
  ] as const) {
    logging(`is read again after ${what}, which is logged once`, function* (logs) {
      const { directory, opens, state } = yield* setUp([keyOf("a")])
      state.delay = delay
      yield* TestClock.adjust("20 seconds")
      expect(directory.authenticate(a)).toMatchObject({ _tag: "Success" })
      expect(logs).toEqual([unanswered])
      state.delay = Effect.void
      state.keys = [keyOf("b")]
      yield* TestClock.adjust("11 seconds")
      expect(yield* Effect.all([opens(a), opens(b)])).toEqual([false, true])
    })
  }

  scoped("is busy if it is not known within ten seconds in the beginning", function* () {
    const { state, store } = makeStore([])
    state.isDown = true
    expect(yield* Effect.flip(KeyDirectory.make(store, {}))).toMatchObject({ reason: "down" })
    state.isDown = false
    state.delay = Effect.never
    const opening = yield* Effect.fork(Effect.flip(KeyDirectory.make(store, {})))
    yield* TestClock.adjust("10 seconds")
    expect(yield* Fiber.join(opening)).toMatchObject({ _tag: "StoreUnavailable", reason: "busy" })
  })
})

describe("keys that were not read for a minute", () => {
  logging("are refused as outdated until they are read again", function* (logs) {
    // Fixed keys still work; those that were issued, too, are still what they were issued as.
    const fixed = [stranger, a, b].map((digest) => ({ digest, scopes: ["pets:write"] as const }))
    const keys = [keyOf("a"), keyOf("b", { revoked: start })]
    const { directory, opens, state } = yield* setUp(keys, { fixed })
    yield* TestClock.adjust("5 seconds")
    state.isDown = true
    yield* TestClock.adjust("59999 millis")
    expect(yield* opens(a)).toBe(true)
    expect(directory.isCurrent()).toBe(true)
    yield* TestClock.adjust("1 millis")
    expect(directory.isCurrent()).toBe(false)
    const refused = yield* Effect.flip(directory.authenticate(a))
    expect(refused).toMatchObject({ reason: "outdated", id: "a".repeat(10) })
    expect(yield* Effect.flip(directory.authenticate(b))).toMatchObject({ reason: "revoked" })
    expect(yield* opens(stranger)).toBe(true)
    state.isDown = false
    yield* TestClock.adjust("1 second")
    expect(yield* Effect.all([opens(a), opens(b), opens(stranger)])).toEqual([true, false, true])
    expect(directory.isCurrent()).toBe(true)
    // Whoever provides the store sees its failures.
    expect(logs).toEqual([])
  })
})

describe("after a suspension", () => {
  const revoked = keyOf("a", { revoked: start })

  /** A directory that may read; its other timers have not fired. `suspend` moves only the clocks that are given. */
  const setUp = (keys: ReadonlyArray<ApiKey>) =>
    Effect.gen(function* () {
      const time = { wall: start, nanos: 0n }
      let pauses = 0
      // The first half of a pause is over.
      const isOver = (duration: Duration.Duration) =>
        Duration.toMillis(duration) === 250 && pauses++ % 2 === 0
      const clock: Clock.Clock = Object.assign(Clock.make(), {
        unsafeCurrentTimeMillis: () => time.wall,
        unsafeCurrentTimeNanos: () => time.nanos,
        sleep: (duration: Duration.Duration) => (isOver(duration) ? Effect.void : Effect.never)
      })
      const { state, store } = makeStore(keys)
      const directory = yield* Effect.withClock(KeyDirectory.make(store, {}), clock)
      const suspend = (wall: number, monotonic: number) => {
        time.wall += wall
        time.nanos += BigInt(monotonic) * 1_000_000n
      }
      return { directory, state, suspend }
    })

  it.scoped.each([
    ["of the process, for a second", 1000, 1000],
    ["of the process, for more than a minute", 90_000, 90_000],
    ["of the machine, in which the monotonic clock stands still", 90_000, 0],
    ["of the process, in which the wall clock was set back", -90_000, 90_000]
  ] as const)("%s, keys are read before they are accepted", ([, wall, monotonic]) =>
    Effect.gen(function* () {
      const { directory, state, suspend } = yield* setUp([keyOf("a")])
      state.keys = [revoked, keyOf("b")]
      suspend(wall, monotonic)
      expect(directory.isCurrent()).toBe(true)
      const [first, second, third] = yield* Effect.all(
        [a, a, b].map((digest) => Effect.either(directory.authenticate(digest))),
        { concurrency: "unbounded" }
      )
      expect([first, second]).toMatchObject([
        { left: { reason: "revoked" } },
        { left: { reason: "revoked" } }
      ])
      expect(third).toMatchObject({ right: { id: "b".repeat(10) } })
      // Once for all of them, and no more.
      expect(state.asked).toEqual([undefined, "0"])
      expect(directory.authenticate(b)).toMatchObject({ _tag: "Success" })
    })
  )

  scoped("keys are accepted at once that were read a moment before", function* () {
    const { directory, suspend } = yield* setUp([keyOf("a")])
    suspend(999, 999)
    expect(directory.authenticate(a)).toMatchObject({ _tag: "Success" })
    suspend(-90_000, 0)
    expect(directory.authenticate(a)).toMatchObject({ _tag: "Success" })
  })

  scoped("a read that began before it does not count, answered or not", function* () {
    for (const end of [Effect.void, Effect.dieMessage("timed out at once")]) {
      const { directory, state, suspend } = yield* setUp([keyOf("a")])
      const answer = yield* Deferred.make<void>()
      state.delay = Deferred.await(answer)
      const reading = yield* Effect.fork(directory.authenticate(stranger, () => true))
      yield* Effect.yieldNow()
      suspend(30_000, 30_000)
      state.keys = [revoked]
      state.delay = Effect.void
      const waiting = yield* Effect.fork(Effect.flip(directory.authenticate(a)))
      yield* Deferred.complete(answer, end)
      expect(yield* Fiber.join(waiting)).toMatchObject({ reason: "revoked" })
      yield* Fiber.await(reading)
    }
  })

  scoped("keys are accepted for a minute if they cannot be read", function* () {
    const { directory, state, suspend } = yield* setUp([keyOf("a")])
    state.isDown = true
    suspend(10_000, 10_000)
    expect(yield* directory.authenticate(a)).toMatchObject({ digest: a })
    // In an outage that is known, requests do not wait.
    suspend(49_999, 49_999)
    expect(directory.authenticate(a)).toMatchObject({ _tag: "Success" })
    suspend(1, 1)
    expect(directory.authenticate(a)).toMatchObject(refusal("outdated"))
    expect(directory.isCurrent()).toBe(false)
  })

  scoped(
    "a read that takes too long is not repeated for each of those who waited for it",
    function* () {
      const { directory, state, suspend } = yield* setUp([keyOf("a")])
      suspend(5000, 5000)
      state.delay = Effect.sync(() => suspend(14_000, 14_000)).pipe(
        Effect.andThen(Effect.dieMessage("timed out"))
      )
      const answers = yield* Effect.all(
        Array.from({ length: 5 }, () => Effect.flip(directory.authenticate(a))),
        { concurrency: "unbounded" }
      )
      expect(answers.map(({ reason }) => reason)).toEqual(Array(5).fill("outdated"))
      expect(state.asked).toEqual([undefined, "0"])
    }
  )

  scoped("a request that is given up does not end the read that others wait for", function* () {
    const { directory, state, suspend } = yield* setUp([keyOf("a")])
    suspend(5000, 5000)
    const gate = yield* Effect.makeLatch()
    state.delay = gate.await
    const first = yield* Effect.fork(directory.authenticate(a))
    const others = yield* Effect.fork(
      Effect.all([directory.authenticate(a), directory.authenticate(a)], {
        concurrency: "unbounded"
      })
    )
    yield* Effect.yieldNow()
    yield* Fiber.interrupt(first)
    yield* gate.open
    expect(yield* Fiber.join(others)).toMatchObject([{ digest: a }, { digest: a }])
    expect(state.asked).toEqual([undefined, "0"])
  })
})

describe("a key that may be new", () => {
  const mayBeNew = () => true

  scoped("is looked for before it is refused, and found", function* () {
    const { directory, state } = yield* setUp([keyOf("a")])
    state.keys = [keyOf("a"), keyOf("b")]
    expect(directory.authenticate(b)).toMatchObject(refusal("unknown"))
    const found = yield* Effect.fork(directory.authenticate(b, mayBeNew))
    yield* TestClock.adjust("250 millis")
    expect(yield* Fiber.join(found)).toMatchObject({ digest: b })
    expect(directory.authenticate(b)).toMatchObject({ _tag: "Success" })
  })

  scoped("is not refused by a read that began before it was issued", function* () {
    const { directory, state } = yield* setUp([keyOf("a")])
    const gate = yield* Effect.makeLatch()
    state.delay = gate.await
    yield* TestClock.adjust("500 millis")
    state.keys = [keyOf("a"), keyOf("b")]
    const found = yield* Effect.fork(directory.authenticate(b, mayBeNew))
    yield* Effect.yieldNow()
    yield* gate.open
    yield* TestClock.adjust("250 millis")
    expect(yield* Fiber.join(found)).toMatchObject({ digest: b })
  })

  scoped("costs a few reads in a second, however many are sent", function* () {
    const { directory, state } = yield* setUp([keyOf("a")])
    const ask = Effect.flip(directory.authenticate(stranger, mayBeNew))
    const asking = yield* Effect.fork(Effect.forEach(Array(1000), () => ask))
    const others = yield* Effect.fork(
      Effect.forEach(Array(1000), () => ask, { concurrency: "unbounded" })
    )
    yield* TestClock.adjust("1 second")
    expect((yield* Fiber.join(others))[0]).toMatchObject({ reason: "unknown" })
    yield* Fiber.interrupt(asking)
    expect(state.asked.length).toBeLessThanOrEqual(5)
  })

  scoped("is refused at once while keys cannot be read", function* () {
    const { directory, state } = yield* setUp([keyOf("a")])
    state.isDown = true
    yield* TestClock.adjust("500 millis")
    expect(directory.authenticate(stranger, mayBeNew)).toMatchObject(refusal("unknown"))
  })
})

describe("the age of what is known", () => {
  scoped("is the time since the beginning of the last read that succeeded", function* () {
    const { directory, state } = yield* setUp([keyOf("a", { expires: start + minute })])
    yield* TestClock.adjust("500 millis")
    state.isDown = true
    yield* TestClock.adjust("10 seconds")
    expect(Duration.toMillis(directory.age())).toBe(10_000)
    state.isDown = false
    yield* TestClock.adjust("500 millis")
    expect(Duration.toMillis(directory.age())).toBe(0)
    expect(directory.countExpiring(Duration.seconds(48))).toBe(0)
    expect(directory.countExpiring(Duration.seconds(49))).toBe(1)
    state.delay = Effect.sleep("2 seconds")
    yield* TestClock.adjust("2500 millis")
    expect(Duration.toMillis(directory.age())).toBe(2000)
  })
})

describe("the use of a key", () => {
  const thisMinute = Instant.make(start - (start % minute))
  const nextMinute = Instant.make(thisMinute + minute)
  const ids = { a: keyOf("a").id, b: keyOf("b").id }

  scoped("is noted to the minute, within ten seconds", function* () {
    const { opens, state } = yield* setUp([keyOf("a"), keyOf("b")])
    yield* opens(a)
    expect(state.noted).toEqual([])
    yield* TestClock.adjust("10 seconds")
    expect(state.noted).toEqual([[{ id: ids.a, at: thisMinute }]])
    expect(state.notedAt).toEqual([start + 10_000])
  })

  scoped("is noted once in a minute", function* () {
    const { opens, state } = yield* setUp([keyOf("a"), keyOf("b", { lastUsed: thisMinute })])
    // 30 seconds to the end of this minute, and ten of the next.
    for (let second = 0; second < 40; second++) {
      yield* opens(a)
      yield* opens(b)
      yield* TestClock.adjust("1 second")
    }
    yield* TestClock.adjust("10 seconds")
    expect(state.noted.flat().filter(({ id }) => id === ids.a)).toEqual([
      { id: ids.a, at: thisMinute },
      { id: ids.a, at: nextMinute }
    ])
    expect(state.noted.flat().filter(({ id }) => id === ids.b)).toEqual([
      { id: ids.b, at: nextMinute }
    ])
  })

  scoped("is noted although it came while an earlier one was recorded", function* () {
    const { opens, state } = yield* setUp([keyOf("a")])
    yield* opens(a)
    yield* TestClock.adjust("9900 millis")
    const isRecorded = yield* Deferred.make<void>()
    state.delay = Deferred.await(isRecorded)
    yield* TestClock.adjust("100 millis")
    state.delay = Effect.void
    yield* TestClock.adjust("25 seconds")
    expect(yield* opens(a)).toBe(true)
    yield* Deferred.succeed(isRecorded, undefined)
    yield* TestClock.adjust("10 seconds")
    expect(state.noted.flat().map(({ at }) => at)).toEqual([thisMinute, nextMinute])
  })

  scoped("is not noted when it was refused", function* () {
    const { opens, state } = yield* setUp([keyOf("a", { expires: start })])
    yield* opens(a)
    yield* opens(stranger)
    yield* TestClock.adjust("20 seconds")
    expect(state.tried).toBe(0)
  })

  scoped("is noted although the key has changed and all were read again in between", function* () {
    // All are read when one is gone.
    const { opens, state } = yield* setUp([keyOf("a"), keyOf("b")])
    yield* opens(a)
    state.keys = [keyOf("a", { revoked: start + minute })]
    yield* TestClock.adjust("500 millis")
    yield* TestClock.adjust("10 seconds")
    expect(state.noted).toEqual([[{ id: ids.a, at: thisMinute }]])
  })

  scoped("is retried when it cannot be noted, and the key still works", function* () {
    const { opens, state } = yield* setUp([keyOf("a")])
    state.takesNoUses = true
    state.isAll = false
    yield* opens(a)
    yield* TestClock.adjust("30 seconds")
    expect(state.tried).toBe(3)
    expect(yield* opens(a)).toBe(true)
    state.takesNoUses = false
    yield* TestClock.adjust("10 seconds")
    expect(state.noted).toEqual([[{ id: ids.a, at: nextMinute }]])
    yield* TestClock.adjust("20 seconds")
    expect(state.tried).toBe(4)
  })

  scoped("is noted when the scope closes, or not if the store is down", function* () {
    for (const isDown of [false, true]) {
      const scope = yield* Scope.make()
      const { opens, state } = yield* Scope.extend(setUp([keyOf("a")]), scope)
      state.takesNoUses = isDown
      yield* opens(a)
      expect(yield* Effect.exit(Scope.close(scope, Exit.void))).toEqual(Exit.void)
      expect(state.tried).toBe(1)
      expect(state.noted).toEqual(isDown ? [] : [[{ id: ids.a, at: thisMinute }]])
    }
  })

  scoped("does not delay the closing of the scope for more than a second", function* () {
    const scope = yield* Scope.make()
    const { opens, state } = yield* Scope.extend(setUp([keyOf("a")]), scope)
    state.delay = Effect.never
    yield* opens(a)
    const closing = yield* Effect.forkDaemon(Scope.close(scope, Exit.void))
    yield* TestClock.adjust("999 millis")
    expect(Option.isNone(yield* Fiber.poll(closing))).toBe(true)
    yield* TestClock.adjust("1 millis")
    expect(Option.isSome(yield* Fiber.poll(closing))).toBe(true)
    expect(state.tried).toBe(1)
  })

  scoped("is noted although the last one noted lies in the future", function* () {
    const { opens, state } = yield* setUp([keyOf("a", { lastUsed: start + 60 * minute })])
    // A key that is not used keeps what it has.
    yield* TestClock.adjust("10 seconds")
    expect(state.tried).toBe(0)
    yield* opens(a)
    yield* TestClock.adjust("10 seconds")
    expect(state.noted).toEqual([[{ id: ids.a, at: thisMinute }]])
    yield* opens(a)
    yield* TestClock.adjust("10 seconds")
    expect(state.tried).toBe(1)
  })
})

/** A full minute. */
const fullMinute = 1_699_999_980_000
const key = keyOf("a")

describe("the uses of a key that are not noted", () => {
  it("are as of now after the clock was set back, and do not advance with it", () => {
    const table = KeyTable.make()
    table.learn({ version: "1", keys: [key], isAll: true })
    const entry = table.find(key.digest) ?? expect.unreachable()
    entry.used = fullMinute + 60 * minute
    expect(table.unnoted(fullMinute)).toEqual([[entry, { id: key.id, at: fullMinute }]])
    entry.noted = fullMinute
    expect(table.unnoted(fullMinute + 5 * minute)).toEqual([])
  })
})

describe("the number of keys that expire between two times", () => {
  const table = KeyTable.make()
  const ends = [
    {},
    { expires: fullMinute },
    { expires: fullMinute + 1 },
    { expires: fullMinute + minute },
    { expires: fullMinute + minute + 1 },
    { expires: fullMinute + minute, revoked: fullMinute },
    { expires: fullMinute + minute, retires: fullMinute + 1 }
  ]
  const keys = ends.map((end, at) => keyOf(String(at), end))
  table.learn({ version: "1", keys, isAll: true })

  it("leaves out those that were revoked or rotated, and those without an end", () => {
    expect(table.countExpiring(fullMinute, fullMinute + minute)).toBe(2)
    expect(table.countExpiring(fullMinute + minute, fullMinute + 2 * minute)).toBe(1)
    expect(table.countExpiring(0, fullMinute - 1)).toBe(0)
  })
})
