/** Detects that an open file was truncated. Threads load this module, so it does not import Effect. */
import { statSync } from "node:fs"
import Database from "better-sqlite3"

/** A check that throws if the file of a connection is smaller than before, and pages of its database are lost. */
export const make = (database: Database.Database): (() => void) => {
  const { name } = database
  const pageSize = Number(database.pragma("page_size", { simple: true }))
  const pages = database.prepare<[], number>("PRAGMA page_count").pluck().safeIntegers(false)
  // A missing file is reported by `FileIdentity`.
  const sizeNow = () => statSync(name, { throwIfNoEntry: false })?.size
  let seen = sizeNow() ?? 0
  /** The size that a truncation left: the search for lost pages reads the whole file, so it is not repeated. */
  let left: number | undefined
  const isCut = (size: number) =>
    size === left || ((pages.get() ?? 0) * pageSize > size && !isWhole(name, size))
  return () => {
    const size = sizeNow() ?? seen
    // VACUUM makes the file smaller, too. Until the next checkpoint the log has the pages that the file lacks.
    if (size < seen && isCut(size)) {
      left = size
      throw new Database.SqliteError(`${name} was truncated`, "SQLITE_CORRUPT")
    }
    seen = size
  }
}

/** Whether a file and its log have all pages. A new connection has none of them in its cache. */
const isWhole = (name: string, size: number): boolean => {
  // SQLite would remove the log of an empty file.
  if (size === 0) return false
  const database = new Database(name, { readonly: true, timeout: 100 })
  try {
    // A page that is missing reads as zeros. In the last page of a long name that is no error, but no name has them.
    const zeros = database.prepare("SELECT 1 FROM pets WHERE instr(name, char(0)) > 0 LIMIT 1")
    return database.pragma("quick_check(1)", { simple: true }) === "ok" && zeros.get() === undefined
  } finally {
    database.close()
  }
}
