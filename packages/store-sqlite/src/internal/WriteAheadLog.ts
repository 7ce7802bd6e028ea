/** Checks that the write-ahead log of an open file has everything that SQLite wrote to it. */
import { fstatSync, openSync, readSync } from "node:fs"
import * as DatabaseFile from "./DatabaseFile.ts"
import * as Driver from "./Driver.ts"
import * as DriverError from "./DriverError.ts"
import * as OpenFile from "./OpenFile.ts"

const headerSize = 32
const frameHeaderSize = 24
const maxTries = 100
const magics: ReadonlyArray<number> = [0x377f0682, 0x377f0683]

/** The log of a connection that has used it before. */
export const make = (database: Driver.Database) => {
  const [wal, shm] = DatabaseFile.logsOf(database.name)
  const checkFiles = OpenFile.namesCheck(wal, shm)
  // SQLite does not lock this file, so closing another descriptor of it releases no lock.
  const file = openSync(wal, "r")
  const magic = Buffer.alloc(4)
  const frameSize = frameHeaderSize + Number(database.value("PRAGMA page_size"))
  // NOOP only returns how many frames the log has, as all processes see it.
  const state = database.prepare<[busy: bigint, log: bigint, done: bigint], []>(
    "PRAGMA wal_checkpoint(NOOP)"
  )

  const size = () => fstatSync(file).size
  const hasAll = () => {
    const [busy, log] = state.get() ?? []
    const frames = Number(log)
    if (busy !== 0n) throw DriverError.failure("the index of the log is locked", "SQLITE_BUSY")
    if (frames === 0) return true
    if (size() < headerSize + frames * frameSize) return false
    readSync(file, magic, 0, magic.length, 0)
    return magics.includes(magic.readUInt32BE())
  }
  return {
    /** The size in bytes. */
    size,
    /**
     * Throws if the log was removed, truncated or overwritten, and a busy error if its index is locked.
     * Not for use within a transaction.
     */
    check: () => {
      checkFiles()
      // A checkpoint of another process may empty the log after its frames were counted.
      for (let tries = 0; !hasAll(); tries++) {
        if (tries === maxTries) throw new Error(`${wal} was truncated or overwritten`)
      }
    }
  }
}
