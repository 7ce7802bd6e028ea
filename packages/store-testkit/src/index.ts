/** Checks what callers of a service have seen, for tests of several servers and of crashes. */
export * as History from "./History.ts"
/** The laws that every store of keys obeys. */
export * as KeyLaws from "./KeyLaws.ts"
/** What a law is, and how to make one. */
export * as Law from "./Law.ts"
/** The laws that every store of pets obeys. */
export * as Laws from "./Laws.ts"
/** Exact comparison, for laws of one's own. */
export * as Mismatch from "./Mismatch.ts"
