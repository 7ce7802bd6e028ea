/** Laws about keys that are taken over from another store: nothing that ended a key is undone. */
import { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import * as Effect from "effect/Effect"
import * as Law from "../Law.ts"
import { concurrency } from "./Contents.ts"
import { addKeys, expectChanges, expectDone, expectKeys, expectRefused } from "./KeyRing.ts"
import { keyId, newKey, newKeys, noon } from "./KeySamples.ts"

const full = {
  scopes: ["pets:write", "pets:read"],
  expires: noon(90),
  retires: noon(80),
  revoked: noon(70),
  lastUsed: noon(60)
} as const

/** Also into a store that has others. */
const added = Law.make(
  "a key that is merged is added as it is if it is not there",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    yield* addKeys([newKey(1)])
    const keys = [newKey(0, full), newKey(1), newKey(2)]
    yield* expectDone("merge of an ended key", store.merge(newKey(0, full)), keys.slice(0, 2))
    yield* expectDone("merge of a plain key", store.merge(newKey(2)), keys)
  })
)

/** Each of them may be absent on either side. */
const joined = Law.make(
  "of two merged keys the earlier ends and the later use hold, in any order",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const states = [
      {},
      { retires: noon(8), revoked: noon(7), lastUsed: noon(6) },
      { retires: noon(9), revoked: noon(5), lastUsed: noon(7) },
      { revoked: noon(6) },
      { lastUsed: noon(5) },
      {}
    ]
    const last = { retires: noon(8), revoked: noon(5), lastUsed: noon(7) }
    for (const [nth, order] of [states, states.toReversed()].entries()) {
      for (const state of order) yield* store.merge(newKey(nth, state))
      yield* expectKeys(Array.from({ length: nth + 1 }, (_, nth) => newKey(nth, last)))
    }
    yield* addKeys([newKey(2)])
    yield* store.revoke(keyId(2), noon(3))
    yield* store.noteUses([{ id: keyId(2), at: noon(9) }], noon(9))
    // Nothing else of it changes.
    yield* store.merge(newKey(2, { ...last, name: "other", scopes: ["pets:write"] }))
    yield* expectKeys([
      newKey(0, last),
      newKey(1, last),
      newKey(2, { retires: noon(8), revoked: noon(3), lastUsed: noon(9) })
    ])
  })
)

/** Two stores may have given one id to different keys. */
const taken = Law.make(
  "a key with the id of another is not merged",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    yield* addKeys(newKeys(3))
    const other = newKey(1, { digest: "f".repeat(64), name: "other", revoked: noon(1) })
    yield* expectRefused("merge of another key of an id", store.merge(other))
  })
)

/** Servers must learn of a revocation that came from another store. */
const changed = Law.make(
  "a merge that changes a key is one of the changes",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    yield* addKeys(newKeys(2))
    const { version } = yield* store.changes(undefined)
    yield* Effect.all([store.merge(newKey(0, { revoked: noon(1) })), store.merge(newKey(2))], {
      concurrency
    })
    yield* expectChanges("the changes after a merge", yield* store.changes(version), {
      keys: [newKey(0, { revoked: noon(1) }), newKey(2)],
      isAll: false
    })
  })
)

/** The laws about keys that are taken over. */
export const laws = { added, joined, taken, changed }
