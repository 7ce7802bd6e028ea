/** A connection for writing. It blocks its thread while it waits for the disk and for locks. */
import * as Driver from "./Driver.ts"
import * as DriverError from "./DriverError.ts"
import * as OpenFile from "./OpenFile.ts"
import * as WriteAheadLog from "./WriteAheadLog.ts"

/** The file, and how long to wait for its lock. */
export interface Settings {
  readonly filename: string
  readonly busyMillis: number
}

/** The settings of a thread. */
export interface ThreadSettings extends Settings {
  /** Set to 1 to stop waiting for locks: a thread that waits receives no messages. */
  readonly giveUp: Int32Array
}

/** An open connection. */
export interface WriteConnection {
  readonly database: Driver.Database
  /** Runs the body in one transaction with one sync. If it throws, nothing has changed, unless only the check after it failed. */
  readonly transaction: <A>(body: () => A) => A
}

/** SQLite's own wait for a lock cannot be cancelled, so it is short and repeated. */
const maxWait = 100

/** Opens the file. Throws if writes to it would not be durable. */
export const open = ({ busyMillis, filename, giveUp }: ThreadSettings): WriteConnection => {
  const database = Driver.open(filename, {
    fileMustExist: true,
    timeout: Math.min(busyMillis, maxWait)
  })
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
  // SQLite may reset pragmas at the first use of the file, so they are read back after one.
  database.value("SELECT id FROM pets LIMIT 1")
  const journalMode = database.value("PRAGMA journal_mode")
  const synchronous = database.value("PRAGMA synchronous")
  if (journalMode !== "wal" || synchronous !== 2n) {
    throw new Error("SQLite cannot use journal_mode = WAL and synchronous = FULL for this file")
  }

  const checkFile = OpenFile.namesCheck(filename)
  const checkSize = OpenFile.sizeCheck(database)
  const log = WriteAheadLog.make(database)
  const begin = database.prepare("BEGIN IMMEDIATE")
  const commit = database.prepare("COMMIT")
  const rollback = database.prepare("ROLLBACK")

  /** Retries this while another process holds the lock, until the timeout. */
  const inTime = (evaluate: () => void): void => {
    const start = performance.now()
    while (true) {
      try {
        evaluate()
        return
      } catch (error) {
        const isOver = performance.now() - start >= busyMillis || Atomics.load(giveUp, 0) === 1
        if (!DriverError.isBusy(error) || isOver) throw error
      }
    }
  }

  /** Set once the file or its log is damaged: further commits could be lost, so all writes are refused. */
  let refusal: unknown
  const orRefuse = (check: () => void): void => {
    try {
      inTime(check)
    } catch (error) {
      if (!DriverError.isBusy(error) && !isUnchecked(error)) refusal = error
      throw error
    }
  }

  return {
    database,
    transaction: (body) => {
      let isCommitted = false
      try {
        if (refusal !== undefined) throw refusal
        // Not a refusal: nothing was written, and the file may be put back in its place.
        checkFile()
        orRefuse(() => {
          checkSize()
          log.check()
        })
        inTime(() => begin.run())
        const size = log.size()
        const result = body()
        // While this connection holds the lock, no other process shortens the log.
        orRefuse(() => {
          checkSize()
          if (log.size() < size) throw new Error(`the log of ${filename} was truncated`)
        })
        commit.run()
        isCommitted = true
        orRefuse(() => {
          checkFile()
          checkSize()
          log.check()
        })
        return result
      } catch (error) {
        if (database.isInTransaction()) rollback.run()
        throw isCommitted ? unchecked(filename, error) : error
      }
    }
  }
}

const uncheckedCode = "PETSTORE_UNCHECKED"

/** Has no code of SQLite: a file that is busy or damaged would mean that nothing was changed. */
const unchecked = (filename: string, error: unknown): Error => {
  const why = error instanceof Error ? error.message : error
  const message = `a change of ${filename} was committed, but a check then failed: ${why}`
  return Object.assign(new Error(message), { code: uncheckedCode })
}

/** Whether the disk failed to return what was to be checked, which is no damage, or a check failed after a commit. */
export const isUnchecked = (error: unknown): boolean =>
  error instanceof Error && "code" in error && ["EIO", uncheckedCode].includes(String(error.code))
