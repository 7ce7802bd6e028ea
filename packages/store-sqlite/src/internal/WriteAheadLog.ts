/** Checks that the write-ahead log of an open file holds all that SQLite has written to it. */
import { fstatSync, openSync, readSync } from "node:fs"
import Database from "better-sqlite3"
import * as FileIdentity from "./FileIdentity.ts"

/** The log of an open file. */
export interface WriteAheadLog {
  /**
   * Throws when the log was removed, truncated or overwritten, and a busy error when it cannot be read
   * just now. Not for use within a transaction.
   */
  readonly check: () => void
  /** How many bytes it has. */
  readonly size: () => number
}

const headerSize = 32
const frameHeaderSize = 24
const mostTries = 100
const magics: ReadonlyArray<number> = [0x377f0682, 0x377f0683]

/** The log of this connection, which has used it before. */
export const make = (database: Database.Database): WriteAheadLog => {
  const { shm, wal } = FileIdentity.filesOf(database.name)
  const checkFiles = FileIdentity.make(wal, shm)
  // SQLite holds no locks on this file, so a descriptor of our own does no harm.
  const file = openSync(wal, "r")
  const magic = Buffer.alloc(4)
  const frameSize = frameHeaderSize + Number(database.pragma("page_size", { simple: true }))
  // A checkpoint that does nothing but tell how many frames the log has, as all processes see it.
  const state = database
    .prepare<[], { readonly busy: number; readonly log: number }>("PRAGMA wal_checkpoint(NOOP)")
    .safeIntegers(false)

  const size = () => fstatSync(file).size
  const countFrames = () => {
    const { busy = 1, log = 0 } = state.get() ?? {}
    if (busy !== 0) throw new Database.SqliteError("the index of the log is locked", "SQLITE_BUSY")
    return log
  }
  const holds = (frames: number) => {
    if (frames === 0) return true
    if (size() < headerSize + frames * frameSize) return false
    readSync(file, magic, 0, magic.length, 0)
    return magics.includes(magic.readUInt32BE())
  }
  return {
    size,
    check: () => {
      checkFiles()
      // Another process may empty the log by a checkpoint after its frames were counted.
      for (let tries = 0; !holds(countFrames()); tries++) {
        if (tries === mostTries) throw new Error(`${wal} was truncated or overwritten`)
      }
    }
  }
}
