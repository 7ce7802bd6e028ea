/** Writes in batches. */
export * as Batches from "./Batches.ts"
/** Effects that need no fiber. */
export * as Direct from "./Direct.ts"
/** Work that is done together at the end of a turn of the event loop. */
export * as Turn from "./Turn.ts"
