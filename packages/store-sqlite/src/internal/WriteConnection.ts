/** A connection for writing. It blocks its thread while it waits for the disk and for locks. */
import * as Driver from "./Driver.ts"
import * as DriverError from "./DriverError.ts"
import * as OpenFile from "./OpenFile.ts"

/** The file to open. */
export interface Options {
  readonly filename: string
  /** Set to 1 to stop waiting for locks: a thread that waits receives no messages. */
  readonly giveUp: Int32Array
}

/** An open connection. */
export interface WriteConnection {
  readonly database: Driver.Database
  /** Runs the body in one transaction with one sync. If it throws, nothing has changed. */
  readonly transaction: <A>(body: () => A) => A
}

/** How long to wait for another process's lock, in milliseconds. */
const busyMillis = 5000

/** SQLite's own wait for a lock cannot be cancelled, so it is short and repeated. */
const timeout = 100

/** Opens the file. Throws if writes to it would not be durable. */
export const open = ({ filename, giveUp }: Options): WriteConnection => {
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
  const isOver = (start: number) =>
    performance.now() - start >= busyMillis || Atomics.load(giveUp, 0) === 1
  return {
    database,
    transaction: (body) => {
      const start = performance.now()
      while (true) {
        try {
          return database.transaction(() => {
            const result = body()
            // SQLite would commit to files that nobody finds again.
            checkFiles()
            return result
          }, "BEGIN IMMEDIATE")
        } catch (error) {
          // Retries while another process holds the lock.
          if (!DriverError.isBusy(error) || isOver(start)) throw error
        }
      }
    }
  }
}
