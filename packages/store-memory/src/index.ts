/** The store that keeps pets in memory. */
export * as MemoryPetStore from "./MemoryPetStore.ts"
