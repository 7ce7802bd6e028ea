/** A connection for writing. It blocks its thread while it waits for the disk and for locks. */
import * as Driver from "./Driver.ts"
import * as OpenFile from "./OpenFile.ts"

/** An open connection. */
export interface WriteConnection {
  readonly database: Driver.Database
  /** Runs the body in one transaction with one sync. If it throws, nothing has changed. */
  readonly transaction: <A>(body: () => A) => A
}

/** How long to wait for another process's lock, in milliseconds. */
const timeout = 5000

/** Opens the file. Throws if writes to it would not be durable. */
export const open = (filename: string): WriteConnection => {
  const database = Driver.open(filename, { fileMustExist: true, timeout })
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
  // SQLite may reset pragmas at the first use of the file, so they are read back after one.
  database.value("SELECT id FROM pets LIMIT 1")
  const journalMode = database.value("PRAGMA journal_mode")
  const synchronous = database.value("PRAGMA synchronous")
  if (journalMode !== "wal" || synchronous !== 2n) {
    throw new Error("SQLite cannot use journal_mode = WAL and synchronous = FULL for this file")
  }

  const checkFiles = OpenFile.check(database)
  return {
    database,
    transaction: (body) =>
      database.transaction(() => {
        const result = body()
        // SQLite would commit even to files that were moved or deleted.
        checkFiles()
        return result
      }, "BEGIN IMMEDIATE")
  }
}
