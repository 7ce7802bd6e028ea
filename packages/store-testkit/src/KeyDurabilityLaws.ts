/** Laws about stores of keys that outlive the process, and that several processes share. */
import { ApiKeyStore } from "@petstore/domain/ApiKeyStore"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { expectKeys } from "./KeyRing.ts"
import { keyId, newKey, noon } from "./KeySamples.ts"
import * as Law from "./Law.ts"

type Store = ApiKeyStore["Type"]

const first = newKey(0, { expires: noon(99), scopes: ["pets:write", "pets:read"] })
const successor = newKey(2, { created: noon(50) })

/** Every kind of change, one after the other, and the keys that there are after it. */
const steps = [
  { change: (store: Store) => store.addFirst(first), keys: [first] },
  { change: (store: Store) => store.add(newKey(1)), keys: [first, newKey(1)] },
  {
    change: (store: Store) => store.replace({ id: keyId(1), until: noon(60), by: successor }),
    keys: [first, newKey(1, { retires: noon(60) }), successor]
  },
  {
    change: (store: Store) => store.noteUses([{ id: keyId(1), at: noon(54) }]),
    keys: [first, newKey(1, { retires: noon(60), lastUsed: noon(54) }), successor]
  },
  {
    change: (store: Store) => store.revoke(keyId(1), noon(55)),
    keys: [
      first,
      newKey(1, { retires: noon(60), revoked: noon(55), lastUsed: noon(54) }),
      successor
    ]
  }
]

/** After each change, not only after the last: closing may be what saves it. */
const reopened = Law.makeAt<ApiKeyStore>("a reopened store has every key as it was", (place) =>
  Effect.gen(function* () {
    const layer = yield* place
    for (const { change, keys } of steps) {
      yield* Effect.flatMap(ApiKeyStore, change).pipe(Effect.provide(layer))
      yield* expectKeys(keys).pipe(Effect.provide(layer))
    }
  })
)

/** A key that is revoked at one server must not stay good at another. */
const shared = Law.makeAt<ApiKeyStore>(
  "a store of keys sees at once what another one does at its place",
  (place) =>
    Effect.gen(function* () {
      const layer = yield* place
      const open = Effect.map(Layer.build(Layer.fresh(layer)), Context.get(ApiKeyStore))
      const [one, other] = yield* Effect.all([open, open])
      for (const [nth, { change, keys }] of steps.entries()) {
        yield* change(nth % 2 === 0 ? one : other)
        for (const store of [one, other]) {
          yield* expectKeys(keys).pipe(Effect.provideService(ApiKeyStore, store))
        }
      }
    })
)

/** What was done to keys stays done, for everyone. */
export const laws: ReadonlyArray<Law.Law<ApiKeyStore>> = [reopened, shared]
