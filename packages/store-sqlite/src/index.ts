/** A copy of a file that is in use. */
export * as SqliteBackup from "./SqliteBackup.ts"
/** What is wrong with a file. */
export * as SqliteInspection from "./SqliteInspection.ts"
/** The durable stores. */
export * as SqliteStores from "./SqliteStores.ts"
