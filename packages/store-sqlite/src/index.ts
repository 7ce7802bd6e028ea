/** Copying a file that is in use. */
export * as SqliteBackup from "./SqliteBackup.ts"
/** Checking a file. */
export * as SqliteInspection from "./SqliteInspection.ts"
/** The durable stores. */
export * as SqliteStores from "./SqliteStores.ts"
