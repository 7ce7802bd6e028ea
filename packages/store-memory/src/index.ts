/** The store that keeps keys in memory. */
export * as MemoryApiKeyStore from "./MemoryApiKeyStore.ts"
/** The store that keeps pets in memory. */
export * as MemoryPetStore from "./MemoryPetStore.ts"
/** Both stores. */
export * as MemoryStores from "./MemoryStores.ts"
