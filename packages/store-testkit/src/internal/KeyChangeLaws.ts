/** Laws about revoking and using keys: the outcome does not depend on the order. */
import { Instant } from "@petstore/access/ApiKey"
import { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import * as Effect from "effect/Effect"
import * as Law from "../Law.ts"
import { concurrency } from "./Contents.ts"
import { addKeys, expectDone, expectKeys, expectRefused } from "./KeyRing.ts"
import { edgeMoments, keyId, newKey, newKeys, noon } from "./KeySamples.ts"

/** Later than every use. */
const now = noon(100)
const full = { expires: noon(90), scopes: ["pets:write", "pets:read"] } as const

/** Nothing else of it changes, nor of any other key. */
const revoked = Law.make(
  "a key is revoked at the given time",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const keys = edgeMoments.flatMap((_, nth) => [newKey(2 * nth), newKey(2 * nth + 1, full)])
    yield* addKeys(keys)
    const expected = [...keys]
    for (const [nth, key] of keys.entries()) {
      const at = Instant.make(edgeMoments[nth >> 1] ?? 0)
      expected[nth] = { ...key, revoked: at }
      yield* expectDone(`revoke(${key.id}, ${at})`, store.revoke(key.id, at), expected)
    }
  })
)

/** Revocations may arrive out of order. */
const earlier = Law.make(
  "of several revocations the earliest counts, in any order",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    yield* addKeys(newKeys(2))
    yield* store.revoke(keyId(1), noon(7))
    let holds: number = noon(9)
    for (const at of [noon(9), noon(10), noon(5), noon(5), noon(8), noon(-1), Instant.make(0)]) {
      holds = Math.min(at, holds)
      yield* expectDone(`revoke at ${at}`, store.revoke(keyId(0), at), [
        newKey(0, { revoked: holds }),
        newKey(1, { revoked: noon(7) })
      ])
    }
    yield* store.revoke(keyId(1), noon(8))
    yield* expectKeys([newKey(0, { revoked: 0 }), newKey(1, { revoked: noon(7) })])
  })
)

/** Revoking an unknown id is reported. */
const unknown = Law.make(
  "revoking a key that is not there is refused, and changes nothing",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    yield* expectRefused("revoke in an empty store", store.revoke(keyId(0), noon()))
    yield* addKeys(newKeys(3))
    yield* expectRefused("revoke of an unknown key", store.revoke(keyId(3), noon()))
  })
)

/** Both are kept: neither overwrites the other with what it read before. */
const together = Law.make(
  "concurrent changes to one key are all kept",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    yield* addKeys(newKeys(2))
    const moments = [5, 3, 9, 2, 7, 4, 8, 6].map(noon)
    yield* Effect.all(
      moments.flatMap((at) => [
        store.revoke(keyId(0), at),
        store.noteUses([{ id: keyId(0), at }], now),
        store.noteUses([{ id: keyId(1), at }], now)
      ]),
      { concurrency }
    )
    yield* expectKeys([
      newKey(0, { revoked: noon(2), lastUsed: noon(9) }),
      newKey(1, { lastUsed: noon(9) })
    ])
  })
)

/** The latest use is kept, in any order, also within one list. */
const uses = Law.make(
  "the last use of a key is noted, and nothing else of it changes",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const others = [newKey(1, full), newKey(2, { revoked: noon(1) })]
    const use = (nth: number, plus: number) => ({ id: keyId(nth), at: noon(plus) })
    yield* addKeys([newKey(0), newKey(1, full), newKey(2)])
    yield* store.revoke(keyId(2), noon(1))
    for (const [notes, lastUsed] of [
      [[use(0, 20)], noon(20)],
      [[use(0, 10)], noon(20)],
      [[use(0, 25), use(0, 40), use(0, 30)], noon(40)],
      [[], noon(40)]
    ] as const) {
      yield* store.noteUses(notes, now)
      yield* expectKeys([newKey(0, { lastUsed }), ...others])
    }
    yield* store.noteUses([use(2, 4), use(1, 2), use(1, 4)], now)
    yield* expectKeys([
      newKey(0, { lastUsed: noon(40) }),
      newKey(1, { ...full, lastUsed: noon(4) }),
      newKey(2, { revoked: noon(1), lastUsed: noon(4) })
    ])
  })
)

/** A key may be removed before its use is recorded. */
const unknownUses = Law.make(
  "the use of a key that is not there is ignored",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    yield* store.noteUses([{ id: keyId(0), at: noon() }], now)
    yield* expectKeys([])
    yield* addKeys(newKeys(2))
    yield* store.noteUses(
      [7, 1, 8].map((nth) => ({ id: keyId(nth), at: noon() })),
      now
    )
    yield* expectKeys([newKey(0), newKey(1, { lastUsed: noon() })])
  })
)

/** A clock that once ran ahead must not prevent later uses from being recorded. */
const future = Law.make(
  "a use replaces a noted one that lies in the future",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const uses = (plus: number) => [0, 1].map((nth) => ({ id: keyId(nth), at: noon(plus) }))
    yield* addKeys([newKey(0, { lastUsed: noon(51) }), newKey(1, { lastUsed: noon(50) })])
    for (const [plus, moment, lastUsed] of [
      [10, 50, [10, 50]],
      [20, 50, [20, 50]],
      [15, 49, [20, 15]],
      [15, 14, [15, 15]]
    ] as const) {
      yield* store.noteUses(uses(plus), noon(moment))
      yield* expectKeys(lastUsed.map((plus, nth) => newKey(nth, { lastUsed: noon(plus) })))
    }
  })
)

/** The laws about revoking and using keys. */
export const laws = { revoked, earlier, unknown, together, uses, unknownUses, future }
