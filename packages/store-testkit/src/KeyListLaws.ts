/** Laws about the list of keys as a value: it tells when there is news, and stays as it is. */
import type { ApiKey } from "@petstore/domain/ApiKey"
import { ApiKeyStore } from "@petstore/domain/ApiKeyStore"
import type { StoreUnavailable } from "@petstore/domain/PetStore"
import * as Effect from "effect/Effect"
import { addKeys } from "./KeyRing.ts"
import { keyId, newKey, newKeys, noon } from "./KeySamples.ts"
import * as Law from "./Law.ts"
import { expectSame } from "./Mismatch.ts"

type Operations = ReadonlyArray<readonly [string, Effect.Effect<unknown, StoreUnavailable>]>

/** Three keys, the last of which was used. */
const three = Effect.gen(function* () {
  const store = yield* ApiKeyStore
  yield* addKeys(newKeys(3))
  yield* store.noteUses([{ id: keyId(2), at: noon(5) }])
  return store
})

/** What changes nothing when it is done to the three. */
const idle = (store: ApiKeyStore["Type"]): Operations => [
  ["no change", Effect.void],
  ["adding a key again", store.add(newKey(1))],
  ["adding a second first key", store.addFirst(newKey(8))],
  ["revoking an unknown key", store.revoke(keyId(9), noon())],
  ["replacing an unknown key", store.replace({ id: keyId(9), until: noon(), by: newKey(8) })],
  ["noting no use", store.noteUses([])],
  ["noting an earlier use", store.noteUses([{ id: keyId(2), at: noon(4) }])],
  ["noting the use of an unknown key", store.noteUses([{ id: keyId(9), at: noon() }])]
]

/** What changes something, one after the other. */
const changes = (store: ApiKeyStore["Type"]): Operations => [
  ["add", store.add(newKey(4))],
  ["revoke", store.revoke(keyId(0), noon(9))],
  ["an earlier revoke", store.revoke(keyId(0), noon(8))],
  ["replace", store.replace({ id: keyId(1), until: noon(7), by: newKey(6) })],
  ["noteUses", store.noteUses([{ id: keyId(2), at: noon(6) }])]
]

/** So that whoever makes something of all keys sees at a glance whether it is still right. */
const same = Law.make(
  "the list is the same array while nothing changes, and another when something has",
  Effect.gen(function* () {
    const store = yield* three
    const expectArray = (what: string, before: ReadonlyArray<ApiKey>, expected: string) =>
      Effect.flatMap(store.list, (now) => {
        const actual = now === before ? "the same array" : "another array"
        return expectSame(`the list after ${what}`, actual, expected)
      })
    for (const [what, operation] of idle(store)) {
      const before = yield* store.list
      yield* operation
      yield* expectArray(what, before, "the same array")
    }
    for (const [what, operation] of changes(store)) {
      const before = yield* store.list
      yield* operation
      yield* expectArray(what, before, "another array")
    }
  })
)

/** A list is a value, not a window on the store. */
const values = Law.make(
  "a list of keys once read does not change",
  Effect.gen(function* () {
    const store = yield* three
    for (const [what, operation] of changes(store)) {
      const before = yield* store.list
      const copy = structuredClone(before)
      yield* operation
      yield* expectSame(`the list read before ${what}`, before, copy)
    }
  })
)

/** What was read stays, and tells whether it is the latest. */
export const laws: ReadonlyArray<Law.Law<ApiKeyStore>> = [same, values]
