/** Laws about keys that are added: what was added is what is listed. */
import type { ApiKey } from "@petstore/access/ApiKey"
import { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import * as Effect from "effect/Effect"
import * as Law from "../Law.ts"
import { addKeys, expectDone, expectKeys, expectOneDone, expectRefused } from "./KeyRing.ts"
import {
  edgeMoments,
  everyScopes,
  keyId,
  newKey,
  newKeys,
  noon,
  oddKeyNames
} from "./KeySamples.ts"

/** One key for each. */
const keysWith = (variants: ReadonlyArray<Partial<typeof ApiKey.Encoded>>): ReadonlyArray<ApiKey> =>
  variants.map((variant, nth) => newKey(nth, variant))

/** A field that is left out stays left out. */
const added = Law.make(
  "a key is listed as it was added",
  Effect.gen(function* () {
    const all = { expires: noon(7), retires: noon(6), revoked: noon(8), lastUsed: noon(9) }
    const keys = keysWith([
      {},
      { expires: all.expires },
      { retires: all.retires },
      { revoked: all.revoked },
      { lastUsed: all.lastUsed },
      all,
      ...everyScopes.map((scopes) => ({ scopes }))
    ])
    yield* addKeys(keys)
    yield* expectKeys(keys)
  })
)

/** No trimming, no normalising, no cutting short. */
const names = Law.make(
  "a key's name is kept exactly",
  Effect.gen(function* () {
    const keys = keysWith(oddKeyNames.map((name) => ({ name })))
    yield* addKeys(keys)
    yield* expectKeys(keys)
  })
)

/** Zero is a moment like any other, and so are those before 1970. */
const moments = Law.make(
  "a key's times are kept to the millisecond",
  Effect.gen(function* () {
    const keys = keysWith(
      edgeMoments.flatMap((moment) => [
        { created: moment },
        { expires: moment, retires: moment, revoked: moment, lastUsed: moment }
      ])
    )
    yield* addKeys(keys)
    yield* expectKeys(keys)
  })
)

/** The order is that of numbers, not of their digits, and not that in which keys were added. */
const order = Law.make(
  "keys are listed by the time of their creation, then by id",
  Effect.gen(function* () {
    const keys = [
      { created: 10, id: 5 },
      { created: 9, id: 31 },
      { created: 9, id: 10 },
      { created: 9, id: 9 },
      { created: noon(), id: 0 },
      { created: -1, id: 40 },
      { created: 10, id: 32 ** 10 - 1 },
      { created: 0, id: 3 },
      { created: 10, id: 1 }
    ].map(({ created, id }, nth) => newKey(nth, { created, id: keyId(id) }))
    for (const key of keys) yield* addKeys([key])
    yield* expectKeys(keys)
  })
)

/** Adding another key with the same id does not change its name or its scopes. */
const taken = Law.make(
  "a key whose id is taken is refused, and changes nothing",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    yield* addKeys(newKeys(3))
    const { id } = newKey(1)
    yield* expectRefused("adding a key again", store.add(newKey(1)))
    yield* expectRefused("adding another key of an id", store.add(newKey(9, { id })))
    yield* store.revoke(id, noon())
    yield* expectRefused("adding a revoked key again", store.add(newKey(1)))
  })
)

/** Only an empty store accepts a first key. */
const first = Law.make(
  "a first key is added when there is none at all, not even one that has ended",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const key = newKey(1, { expires: noon(1) })
    yield* expectDone("adding a first key", store.addFirst(key), [key])
    yield* expectRefused("adding a second first key", store.addFirst(newKey(2)))
    yield* expectRefused("adding the first key again", store.addFirst(key))
    yield* store.revoke(key.id, noon())
    yield* expectRefused("adding a first key after a revoked one", store.addFirst(newKey(3)))
  })
)

/** Several servers may start on an empty store at the same time. */
const firsts = Law.make(
  "of many concurrent first keys exactly one is added",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const keys = newKeys(40)
    const index = yield* expectOneDone("the first keys", keys.map(store.addFirst))
    yield* expectKeys(keys.slice(index, index + 1))
  })
)

/** None is lost, and of those that share an id one is added. */
const together = Law.make(
  "keys added concurrently are all kept, one for each id",
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const keys = newKeys(100)
    yield* addKeys(keys)
    const rivals = Array.from({ length: 20 }, (_, nth) => newKey(200 + nth, { id: keyId(200) }))
    const index = yield* expectOneDone("the keys of one id", rivals.map(store.add))
    yield* expectKeys([...keys, ...rivals.slice(index, index + 1)])
  })
)

/** The laws about keys that are added. */
export const laws = { added, names, moments, order, taken, first, firsts, together }
