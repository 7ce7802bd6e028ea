/** Writes in batches. */
export * as Batches from "./Batches.ts"
/** Effects that need no fiber. */
export * as Direct from "./Direct.ts"
/** Exact 64-bit integers. */
export * as Int64 from "./Int64.ts"
/** What all ports have in common. */
export * as Port from "./Port.ts"
/** The failure of a store. */
export * as StoreUnavailable from "./StoreUnavailable.ts"
