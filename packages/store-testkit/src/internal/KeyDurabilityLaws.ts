/** Laws about stores of keys that outlive the process, and that several processes share. */
import type { ApiKey } from "@petstore/access/ApiKey"
import { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Law from "../Law.ts"
import { expectChanges, expectKeys } from "./KeyRing.ts"
import { keyId, newKey, noon } from "./KeySamples.ts"

type Store = ApiKeyStore["Type"]

const first = newKey(0, { expires: noon(99), scopes: ["pets:write", "pets:read"] })
const successor = newKey(2, { created: noon(50) })

const replaced = newKey(1, { retires: noon(60) })
const used = newKey(1, { retires: noon(60), lastUsed: noon(54) })
const revoked = newKey(1, { retires: noon(60), revoked: noon(55), lastUsed: noon(54) })

interface Step {
  readonly change: (store: Store) => Effect.Effect<unknown, StoreUnavailable>
  /** The keys that it changes. */
  readonly changed: ReadonlyArray<ApiKey>
  /** The keys that there are after it. */
  readonly keys: ReadonlyArray<ApiKey>
}

/** Every kind of change, one after the other. */
const steps: ReadonlyArray<Step> = [
  { change: (store) => store.addFirst(first), changed: [first], keys: [first] },
  {
    change: (store) => store.add(newKey(1)),
    changed: [newKey(1)],
    keys: [first, newKey(1)]
  },
  {
    change: (store) => store.replace({ id: keyId(1), until: noon(60), by: successor }),
    changed: [replaced, successor],
    keys: [first, replaced, successor]
  },
  {
    change: (store) => store.noteUses([{ id: keyId(1), at: noon(54) }], noon(54)),
    changed: [],
    keys: [first, used, successor]
  },
  {
    change: (store) => store.revoke(keyId(1), noon(55)),
    changed: [revoked],
    keys: [first, revoked, successor]
  },
  {
    change: (store) => store.merge(newKey(3)),
    changed: [newKey(3)],
    keys: [first, revoked, successor, newKey(3)]
  }
]

/** After each change, not only after the last: a store may save only when it is closed. */
const reopened = Law.makeAt<ApiKeyStore>("a reopened store has every key as it was", (place) =>
  Effect.gen(function* () {
    const layer = yield* place
    for (const { change, keys } of steps) {
      yield* Effect.flatMap(ApiKeyStore, change).pipe(Effect.provide(layer))
      yield* expectKeys(keys).pipe(Effect.provide(layer))
    }
  })
)

/** A key that is revoked on one server must not stay valid on another. */
const shared = Law.makeAt<ApiKeyStore>(
  "a store of keys sees at once what another one writes at its place",
  (place) =>
    Effect.gen(function* () {
      const layer = yield* place
      const open = Effect.map(Layer.build(Layer.fresh(layer)), Context.get(ApiKeyStore))
      const [one, other] = yield* Effect.all([open, open])
      for (const [nth, { change, changed, keys }] of steps.entries()) {
        const readers = yield* Effect.forEach([one, other], (store) =>
          Effect.map(store.changes(undefined), ({ version }) => ({ store, version }))
        )
        yield* change(nth % 2 === 0 ? one : other)
        for (const { store, version } of readers) {
          yield* expectKeys(keys).pipe(Effect.provideService(ApiKeyStore, store))
          const read = yield* store.changes(version)
          yield* expectChanges("the changes", read, { keys: changed, isAll: false })
        }
      }
    }),
  { opensTwice: true }
)

/** The laws about durable stores of keys. */
export const laws = { reopened, shared }
