/** Why a file was not copied or restored. */
export * as CopyFailed from "./CopyFailed.ts"
/** Why the driver does not work. */
export * as DriverNotLoaded from "./DriverNotLoaded.ts"
/** Copies a file that is in use. */
export * as SqliteBackup from "./SqliteBackup.ts"
/** The ids that a file has assigned. */
export * as SqliteIds from "./SqliteIds.ts"
/** Checks a file. */
export * as SqliteInspection from "./SqliteInspection.ts"
/** Puts a backup in the place of a file. */
export * as SqliteRestore from "./SqliteRestore.ts"
/** The durable stores. */
export * as SqliteStores from "./SqliteStores.ts"
/** Loads the thread of a store early. */
export * as SqliteWriter from "./SqliteWriter.ts"
