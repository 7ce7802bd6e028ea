/** Stores of keys that are wrong in one way. */
import type { ApiKey } from "@petstore/access/ApiKey"
import type { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import type { Law } from "@petstore/store-testkit/Law"
import { type Wrong, wrongOf } from "./LawTests.ts"
import { make, placeOf } from "./RightKeyStore.ts"

export type WrongKeyStore = Wrong<ApiKeyStore>

/** The right store with some operations replaced. */
export const wrong = wrongOf(placeOf, make)

/** The right store, but for what it makes of a new key. */
export const wrongKey = (
  law: Law<ApiKeyStore>,
  how: string,
  mangle: (key: ApiKey) => ApiKey
): WrongKeyStore =>
  wrong(law, how, (right) => ({
    add: (key) => right.add(mangle(key)),
    addFirst: (key) => right.addFirst(mangle(key))
  }))
