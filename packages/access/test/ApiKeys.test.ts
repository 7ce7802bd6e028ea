import { describe, expect } from "@effect/vitest"
import {
  type ApiKey,
  endOf,
  Instant,
  KeyDigest,
  KeyId,
  KeyName,
  latest
} from "@petstore/access/ApiKey"
import { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import * as ApiKeys from "@petstore/access/ApiKeys"
import { KeyMaker } from "@petstore/access/KeyMaker"
import { Duration, Effect, Layer, Option, Redacted, TestClock } from "effect"
import { scoped } from "./support/Keys.ts"

const start = 1_700_000_000_000
const day = Duration.toMillis("1 day")
const request = { name: KeyName.make("a robot"), scopes: ["pets:write", "pets:read"] } as const

/** Keys whose ids are these numbers, one after the other; their texts and digests never repeat. */
const maker = (...ids: ReadonlyArray<number>) => {
  let made = 0
  return Layer.succeed(KeyMaker, {
    make: Effect.sync(() => {
      const nth = made++
      const id = KeyId.make(String(ids[nth] ?? nth).padStart(10, "0"))
      const digest = KeyDigest.make(nth.toString(16).padStart(64, "0"))
      return { id, digest, text: Redacted.make(`text ${nth}`) }
    })
  })
}

/** Just enough of a store; `@petstore/store-testkit` is where stores are held to more. */
const makeStore = () => {
  const keys = new Map<KeyId, ApiKey>()
  const add = (key: ApiKey) => !keys.has(key.id) && Boolean(keys.set(key.id, key))
  const revoke = (id: KeyId, at: Instant) => {
    const key = keys.get(id)
    const revoked = Instant.make(Math.min(at, key?.revoked ?? at))
    return key !== undefined && Boolean(keys.set(id, { ...key, revoked }))
  }
  const list = Effect.sync(() => [...keys.values()])
  const store: ApiKeyStore["Type"] = {
    list,
    changes: () => Effect.map(list, (keys) => ({ version: "0", keys, isAll: true })),
    add: (key) => Effect.sync(() => add(key)),
    addFirst: (key) => Effect.sync(() => keys.size === 0 && add(key)),
    merge: (key) => Effect.sync(() => add(key)),
    revoke: (id, at) => Effect.sync(() => revoke(id, at)),
    replace: ({ by, id, until }) =>
      Effect.sync(() => {
        const key = keys.get(id)
        if (key === undefined || key.retires !== undefined || endOf(key) <= by.created) return false
        return add(by) && Boolean(keys.set(id, { ...key, retires: until }))
      }),
    noteUses: () => Effect.void
  }
  return { keys, layer: Layer.succeed(ApiKeyStore, store) }
}

const setUp = (...ids: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const { keys, layer } = makeStore()
    const context = yield* Layer.build(
      ApiKeys.layer().pipe(Layer.provide(layer), Layer.provide(maker(...ids)))
    )
    const service = yield* Effect.provide(ApiKeys.ApiKeys, context)
    /** Whether each of these keys works, half a second later. */
    const open = (...issued: ReadonlyArray<ApiKeys.IssuedKey>) =>
      Effect.andThen(
        TestClock.adjust("500 millis"),
        Effect.forEach(issued, ({ key }) => Effect.isSuccess(service.authenticate(key.digest)))
      )
    return { keys: service, open, stored: keys }
  })

describe("issue", () => {
  scoped("makes a key that never expires, and gives its text", function* () {
    const { keys, stored } = yield* setUp()
    const { key, text } = yield* keys.issue(request)
    expect(key).toEqual({
      id: "0000000000",
      ...request,
      digest: "0".repeat(64),
      created: start
    })
    expect(Redacted.value(text)).toBe("text 0")
    expect([...stored.values()]).toEqual([key])
  })

  scoped("makes a key that expires when its lifetime is over", function* () {
    const { keys } = yield* setUp()
    const { key } = yield* keys.issue({ ...request, lifetime: Duration.days(1) })
    expect(key.expires).toBe(start + day)
    const eternal = yield* keys.issue({ ...request, lifetime: Duration.infinity })
    expect(eternal.key.expires).toBe(latest)
  })

  scoped("makes a key that works until it expires", function* () {
    const { keys, open } = yield* setUp()
    const issued = yield* keys.issue({ ...request, lifetime: Duration.seconds(5) })
    expect(yield* open(issued)).toEqual([true])
    expect(yield* keys.authenticate(issued.key.digest)).toMatchObject({ scopes: request.scopes })
    yield* TestClock.adjust("3999 millis")
    expect(yield* open(issued)).toEqual([true])
    yield* TestClock.adjust("1 millis")
    expect(yield* open(issued)).toEqual([false])
  })

  scoped("makes another key when the id is taken", function* () {
    const { keys, open, stored } = yield* setUp(7, 7, 7, 8)
    const first = yield* keys.issue(request)
    const second = yield* keys.issue(request)
    expect([first.key.id, second.key.id]).toEqual(["0000000007", "0000000008"])
    expect(Redacted.value(second.text)).toBe("text 3")
    expect(stored.size).toBe(2)
    expect(yield* open(first, second)).toEqual([true, true])
  })
})

describe("issueFirst", () => {
  scoped("makes a key when there is none, and no other", function* () {
    const { keys, open, stored } = yield* setUp()
    const first = yield* keys.issueFirst(request)
    expect(Option.map(first, ({ text }) => Redacted.value(text))).toEqual(Option.some("text 0"))
    expect(yield* keys.issueFirst(request)).toEqual(Option.none())
    expect(stored.size).toBe(1)
    expect(yield* open(Option.getOrThrow(first))).toEqual([true])
  })
})

describe("revoke", () => {
  scoped("ends a key, and no other", function* () {
    const { keys, open } = yield* setUp()
    const [other, one] = yield* Effect.all([keys.issue(request), keys.issue(request)])
    yield* TestClock.adjust("3 seconds")
    const revoked = yield* keys.revoke(one.key.id)
    expect(revoked).toEqual({ ...one.key, revoked: start + 3000 })
    expect(yield* open(one, other)).toEqual([false, true])
  })

  scoped("fails with the id of a key that is not there, and so does rotate", function* () {
    const { keys } = yield* setUp()
    const id = KeyId.make("vvvvvvvvvv")
    for (const change of [keys.revoke(id), keys.rotate(id, Duration.zero)]) {
      const failure = yield* Effect.flip<unknown, Error, never>(change)
      expect(failure).toMatchObject({ _tag: "ApiKeyNotFound", id })
      expect(failure.message).toBe("there is no key vvvvvvvvvv")
    }
  })
})

describe("rotate", () => {
  scoped(
    "makes a key of the same name and scopes, and of the same lifetime from now on",
    function* () {
      const { keys } = yield* setUp()
      const old = yield* keys.issue({ ...request, lifetime: Duration.days(1) })
      yield* TestClock.adjust("5 seconds")
      const { key, replaced, text } = yield* keys.rotate(old.key.id, Duration.days(2))
      expect(key).toEqual({
        id: "0000000001",
        ...request,
        digest: "1".padStart(64, "0"),
        created: start + 5000,
        expires: start + 5000 + day
      })
      expect(Redacted.value(text)).toBe("text 1")
      // Although it expires before.
      const until = start + 5000 + 2 * day
      expect(replaced).toEqual({ ...old.key, retires: until })
      expect(yield* keys.list).toEqual([replaced, key])
    }
  )

  scoped("accepts both keys until the overlap ends, if there is any", function* () {
    const { keys, open } = yield* setUp()
    const old = yield* keys.issue(request)
    const issued = yield* keys.rotate(old.key.id, Duration.seconds(10))
    yield* TestClock.adjust("9499 millis")
    expect(yield* open(old, issued)).toEqual([true, true])
    yield* TestClock.adjust("1 millis")
    expect(yield* open(old, issued)).toEqual([false, true])
    const last = yield* keys.rotate(issued.key.id, Duration.zero)
    expect(yield* open(issued, last)).toEqual([false, true])
  })

  const endings = {
    "was rotated before": (keys: ApiKeys.ApiKeys["Type"], id: KeyId) =>
      keys.rotate(id, Duration.days(1)),
    "was revoked": (keys: ApiKeys.ApiKeys["Type"], id: KeyId) => keys.revoke(id),
    "has expired": () => TestClock.adjust("5 seconds")
  }
  for (const [how, end] of Object.entries(endings)) {
    scoped(`refuses a key that ${how}, and makes none`, function* () {
      const { keys } = yield* setUp()
      const { key } = yield* keys.issue({ ...request, lifetime: Duration.seconds(5) })
      yield* end(keys, key.id)
      const before = yield* keys.list
      const failure = yield* Effect.flip(keys.rotate(key.id, Duration.zero))
      expect(failure).toMatchObject({ _tag: "ApiKeyEnded", id: key.id })
      expect(failure.message).toBe(
        `the key ${key.id} has expired, was revoked or was rotated before`
      )
      expect(yield* keys.list).toEqual(before)
    })
  }
})

describe("authenticate", () => {
  scoped("knows fixed keys too", function* () {
    const fixed = { digest: KeyDigest.make("f".repeat(64)), scopes: ["pets:read"] as const }
    const { layer } = makeStore()
    const keys = ApiKeys.layer({ fixed: [fixed] }).pipe(Layer.provide([layer, maker()]))
    const grant = Effect.flatMap(ApiKeys.ApiKeys, (service) => service.authenticate(fixed.digest))
    expect(yield* Effect.provide(grant, keys)).toBe(fixed)
  })
})
