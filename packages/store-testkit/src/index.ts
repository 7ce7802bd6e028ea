/** What a law is, and how to make one. */
export * as Law from "./Law.ts"
/** The laws that every store obeys. */
export * as Laws from "./Laws.ts"
/** Exact comparison, for laws of one's own. */
export * as Mismatch from "./Mismatch.ts"
/** The laws as tests. */
export { durableSuite, suite } from "./suite.ts"
