/** The durable store. */
export * as SqlitePetStore from "./SqlitePetStore.ts"
