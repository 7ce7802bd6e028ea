/** The laws that every store of keys obeys: by subject, each with a name to refer to, and all together. */
import type { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import * as KeyChangeLaws from "./internal/KeyChangeLaws.ts"
import * as KeyDurabilityLaws from "./internal/KeyDurabilityLaws.ts"
import * as KeyKeepingLaws from "./internal/KeyKeepingLaws.ts"
import * as KeyListLaws from "./internal/KeyListLaws.ts"
import * as KeyMergeLaws from "./internal/KeyMergeLaws.ts"
import * as KeyReplaceLaws from "./internal/KeyReplaceLaws.ts"
import type { Law } from "./Law.ts"

/** Keys that are added. */
export const keeping = KeyKeepingLaws.laws

/** Reading keys. */
export const reading = KeyListLaws.laws

/** Revoking and using keys. */
export const changes = KeyChangeLaws.laws

/** Taking keys over from another store. */
export const merging = KeyMergeLaws.laws

/** Replacing a key. */
export const replacing = KeyReplaceLaws.laws

/** Durable stores. */
export const durability = KeyDurabilityLaws.laws

/** The laws of every store of keys, each on a store that is empty at first. */
export const laws: ReadonlyArray<Law<ApiKeyStore>> = [
  ...Object.values(keeping),
  ...Object.values(reading),
  ...Object.values(changes),
  ...Object.values(merging),
  ...Object.values(replacing)
]

/** The additional laws of a durable store of keys. */
export const durableLaws: ReadonlyArray<Law<ApiKeyStore>> = Object.values(durability)
