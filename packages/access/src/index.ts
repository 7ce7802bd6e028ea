/** Keys that were issued. */
export * as ApiKey from "./ApiKey.ts"
/** The port that a store of keys provides. */
export * as ApiKeyStore from "./ApiKeyStore.ts"
/** The use cases. */
export * as ApiKeys from "./ApiKeys.ts"
/** The port that makes new keys. */
export * as KeyMaker from "./KeyMaker.ts"
/** How a key is written. */
export * as KeyText from "./KeyText.ts"
