/** Effects that need no fiber. */
export * as Direct from "./Direct.ts"
