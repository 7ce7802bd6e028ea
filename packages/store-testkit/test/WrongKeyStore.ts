/** Stores of keys that are wrong in one way. */
import type { ApiKey } from "@petstore/access/ApiKey"
import type { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import type { Wrong } from "./LawTests.ts"
import { make, placeOf, type Ring, type Store } from "./RightKeyStore.ts"

export type WrongKeyStore = Wrong<ApiKeyStore>

/** The right store with some operations replaced. */
export const wrong = (
  law: string,
  how: string,
  change: (right: Store, ring: Ring) => Partial<Store>
): WrongKeyStore => ({
  law,
  how,
  place: placeOf((ring) => {
    const right = make(ring)
    return { ...right, ...change(right, ring) }
  })
})

/** The right store, but for what it makes of a new key. */
export const wrongKey = (
  law: string,
  how: string,
  mangle: (key: ApiKey) => ApiKey
): WrongKeyStore =>
  wrong(law, how, (right) => ({
    add: (key) => right.add(mangle(key)),
    addFirst: (key) => right.addFirst(mangle(key))
  }))
