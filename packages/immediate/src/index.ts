/** Effects that complete synchronously. */
export * as Immediate from "./Immediate.ts"
