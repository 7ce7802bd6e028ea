/** Laws about reading keys: all of them, or those that have changed. */
import type { ApiKey } from "@petstore/access/ApiKey"
import { ApiKeyStore, type KeyChanges } from "@petstore/access/ApiKeyStore"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Effect from "effect/Effect"
import * as Law from "../Law.ts"
import { expectSame, expectThat } from "../Mismatch.ts"
import { addKeys, expectChanges } from "./KeyRing.ts"
import { keyId, newKey, newKeys, noon } from "./KeySamples.ts"

type Store = ApiKeyStore["Type"]
type Operation = readonly [string, Effect.Effect<unknown, StoreUnavailable>]

const now = noon(100)

/** Three keys, the last of which was used, and the first revoked. */
const three = Effect.gen(function* () {
  const store = yield* ApiKeyStore
  yield* addKeys(newKeys(3))
  yield* store.revoke(keyId(0), noon(9))
  yield* store.noteUses([{ id: keyId(2), at: noon(5) }], now)
  return store
})
const threeKeys = [newKey(0, { revoked: noon(9) }), newKey(1), newKey(2, { lastUsed: noon(5) })]

/** Operations that change none of the three. */
const idle = (store: Store): ReadonlyArray<Operation> => [
  ["no change", Effect.void],
  ["adding a key again", store.add(newKey(1))],
  ["adding a second first key", store.addFirst(newKey(8))],
  ["revoking an unknown key", store.revoke(keyId(9), noon())],
  ["a later revocation", store.revoke(keyId(0), noon(10))],
  ["replacing an unknown key", store.replace({ id: keyId(9), until: noon(), by: newKey(8) })],
  ["noting no use", store.noteUses([], now)],
  ["noting the use of an unknown key", store.noteUses([{ id: keyId(9), at: noon() }], now)]
]

/** Operations that change something, in order, each with the keys that it changes. */
const changes = (store: Store): ReadonlyArray<readonly [...Operation, ReadonlyArray<ApiKey>]> => [
  ["add", store.add(newKey(4)), [newKey(4)]],
  ["revoke", store.revoke(keyId(4), noon(9)), [newKey(4, { revoked: noon(9) })]],
  ["an earlier revocation", store.revoke(keyId(0), noon(8)), [newKey(0, { revoked: noon(8) })]],
  [
    "replace",
    store.replace({ id: keyId(2), until: noon(70), by: newKey(6) }),
    [newKey(2, { retires: noon(70), lastUsed: noon(5) }), newKey(6)]
  ]
]

const expectIdle = (what: string, changes: KeyChanges, version: string) =>
  expectSame(`the changes after ${what}`, changes, { version, keys: [], isAll: false })

/** A reader without a version needs all keys. */
const all = Law.make(
  "without a version all keys are read, including those that have ended",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    yield* expectChanges("all of none", yield* store.changes(undefined), { keys: [], isAll: true })
    yield* three
    const read = yield* store.changes(undefined)
    yield* expectChanges("all", read, { keys: threeKeys, isAll: true })
    yield* expectIdle("reading all", yield* store.changes(read.version), read.version)
  })
)

/** Reads are frequent, changes are rare. */
const nothing = Law.make(
  "without changes no key is read, and the version stays the same",
  Effect.gen(function* () {
    const store = yield* three
    const { version } = yield* store.changes(undefined)
    for (const [what, operation] of idle(store)) {
      yield* operation
      yield* expectIdle(what, yield* store.changes(version), version)
    }
  })
)

/** Otherwise keys in use would be read all the time. */
const uses = Law.make(
  "the use of a key is not a change",
  Effect.gen(function* () {
    const store = yield* three
    const { version } = yield* store.changes(undefined)
    yield* store.noteUses(
      [1, 2].map((nth) => ({ id: keyId(nth), at: noon(20) })),
      now
    )
    yield* expectIdle("a use", yield* store.changes(version), version)
  })
)

/** Both of one step, and of several steps all that any of them changed, as it is in the end. */
const changed = Law.make(
  "exactly the keys that have changed since a version are read",
  Effect.gen(function* () {
    const store = yield* three
    const first = yield* store.changes(undefined)
    let { version } = first
    const inAll = new Map<string, ApiKey>()
    for (const [what, operation, keys] of changes(store)) {
      yield* operation
      const read = yield* store.changes(version)
      yield* expectChanges(`the changes after ${what}`, read, { keys, isAll: false })
      yield* expectThat(read.version !== version, {
        what: `the version after ${what}`,
        expected: "another one",
        actual: read.version
      })
      version = read.version
      for (const key of keys) inAll.set(key.id, key)
      const since = yield* store.changes(first.version)
      const expected = { keys: [...inAll.values()], isAll: false }
      yield* expectChanges(`all changes up to ${what}`, since, expected)
    }
  })
)

/** A store that was restored from a backup is behind what its readers know. */
const unknown = Law.make(
  "since an unknown version all keys are read",
  Effect.gen(function* () {
    const store = yield* three
    const { version } = yield* store.changes(undefined)
    for (const unknown of [`${version}000`, "none"]) {
      const read = yield* store.changes(unknown)
      yield* expectChanges(`the changes since ${unknown}`, read, { keys: threeKeys, isAll: true })
      yield* expectSame("the version", read.version, version)
    }
  })
)

/** What was read does not change afterwards. */
const values = Law.make(
  "keys once read do not change",
  Effect.gen(function* () {
    const store = yield* three
    const { version } = yield* store.changes(undefined)
    for (const [what, operation] of changes(store)) {
      const before = [
        yield* store.list,
        yield* store.changes(undefined),
        yield* store.changes(version)
      ]
      const copy = structuredClone(before)
      yield* operation
      yield* store.noteUses([{ id: keyId(1), at: noon(20) }], now)
      yield* expectSame(`what was read before ${what}`, before, copy)
    }
  })
)

/** The laws about reading keys. */
export const laws = { all, nothing, uses, changed, unknown, values }
