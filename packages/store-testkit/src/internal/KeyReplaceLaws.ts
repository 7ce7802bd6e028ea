/** Laws about replacing a key: both changes are made, or none. */
import { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import * as Effect from "effect/Effect"
import * as Law from "../Law.ts"
import { addKeys, expectDone, expectKeys, expectOneDone, expectRefused } from "./KeyRing.ts"
import { keyId, newKey, newKeys, noon } from "./KeySamples.ts"

/** Every replacement is made at this moment. */
const created = noon(50)

/** The overlap may be zero, and may end after the expiry. */
const replaced = Law.make(
  "a key that is replaced retires at the given time, and the new one is there",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const cases = [
      { key: newKey(0), until: created },
      { key: newKey(1, { expires: noon(99) }), until: noon(70) },
      // Valid for one more millisecond.
      { key: newKey(2, { expires: created + 1 }), until: noon(60) }
    ]
    yield* addKeys(cases.map(({ key }) => key))
    const keys = new Map(cases.map(({ key }) => [key.id, key]))
    for (const [nth, { key, until }] of cases.entries()) {
      const by = newKey(10 + nth, { created, scopes: ["pets:write", "pets:read"] })
      keys.set(key.id, { ...key, retires: until }).set(by.id, by)
      const replace = store.replace({ id: key.id, until, by })
      yield* expectDone(`replacing ${key.id}`, replace, [...keys.values()])
    }
  })
)

/** A key has at most one successor, and an ended key gets none. */
const ended = Law.make(
  "a key that has an end already or does not exist is not replaced",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const expired = [noon(40), created, -1].map((expires, nth) => newKey(nth, { expires }))
    const revoked = [noon(40), created, noon(60)]
    const replace = (nth: number) =>
      store.replace({ id: keyId(nth), until: noon(55), by: newKey(20 + nth, { created }) })
    yield* expectRefused("replacing a key in an empty store", replace(0))
    yield* addKeys(expired)
    for (const [nth, key] of expired.entries()) {
      yield* expectRefused(`replacing a key that expired at ${key.expires}`, replace(nth))
    }
    yield* addKeys([newKey(3), newKey(4), newKey(5)])
    for (const [nth, at] of revoked.entries()) {
      yield* store.revoke(keyId(3 + nth), at)
      yield* expectRefused(`replacing a key that was revoked at ${at}`, replace(3 + nth))
    }
    yield* expectRefused("replacing an unknown key", replace(9))
    yield* addKeys([newKey(10)])
    yield* store.replace({ id: keyId(10), until: noon(60), by: newKey(11, { created }) })
    yield* expectRefused("replacing a key that was replaced", replace(10))
  })
)

/** Otherwise a key would end without a successor. */
const taken = Law.make(
  "a key is not replaced by one whose id is taken",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    yield* addKeys(newKeys(2))
    const replaceBy = (id: number) =>
      store.replace({ id: keyId(0), until: created, by: newKey(5, { id: keyId(id), created }) })
    yield* expectRefused("replacing a key by one of another's id", replaceBy(1))
    yield* expectRefused("replacing a key by one of its own id", replaceBy(0))
  })
)

/** Replacing a key twice, also at once, gives one successor. */
const rivals = Law.make(
  "of concurrent replacements of one key exactly one succeeds",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    yield* addKeys(newKeys(2))
    const rivals = Array.from({ length: 20 }, (_, nth) => ({
      id: keyId(0),
      until: noon(60 + nth),
      by: newKey(10 + nth, { created })
    }))
    const index = yield* expectOneDone("the replacements", rivals.map(store.replace))
    const done = rivals.slice(index, index + 1)
    yield* expectKeys([
      ...done.map(({ until }) => newKey(0, { retires: until })),
      newKey(1),
      ...done.map(({ by }) => by)
    ])
  })
)

/** An overlap that is too long can be ended at any time by revoking the key. */
const revoked = Law.make(
  "a key that was replaced can still be revoked",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const by = newKey(10, { created })
    yield* addKeys([newKey(0)])
    yield* store.replace({ id: keyId(0), until: noon(60), by })
    for (const at of [noon(70), noon(55)]) {
      const expected = [newKey(0, { retires: noon(60), revoked: at }), by]
      yield* expectDone(`revoking it at ${at}`, store.revoke(keyId(0), at), expected)
    }
  })
)

/** The laws about replacing a key. */
export const laws = { replaced, ended, taken, rivals, revoked }
