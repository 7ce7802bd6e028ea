/** The laws that every store of keys obeys. */
import type { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import * as KeyChangeLaws from "./internal/KeyChangeLaws.ts"
import * as KeyDurabilityLaws from "./internal/KeyDurabilityLaws.ts"
import * as KeyKeepingLaws from "./internal/KeyKeepingLaws.ts"
import * as KeyListLaws from "./internal/KeyListLaws.ts"
import * as KeyReplaceLaws from "./internal/KeyReplaceLaws.ts"
import type { Law } from "./Law.ts"

/** The laws of every store of keys, each on a store that is empty at first. */
export const laws: ReadonlyArray<Law<ApiKeyStore>> = [
  ...KeyKeepingLaws.laws,
  ...KeyListLaws.laws,
  ...KeyChangeLaws.laws,
  ...KeyReplaceLaws.laws
]

/** The additional laws of a durable store of keys. */
export const durableLaws: ReadonlyArray<Law<ApiKeyStore>> = KeyDurabilityLaws.laws
