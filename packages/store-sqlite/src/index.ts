/** Copies a file that is in use. */
export * as SqliteBackup from "./SqliteBackup.ts"
/** Checks a file. */
export * as SqliteInspection from "./SqliteInspection.ts"
/** The durable stores. */
export * as SqliteStores from "./SqliteStores.ts"
