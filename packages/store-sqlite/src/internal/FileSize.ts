/** Detects that an open file was truncated. Threads load this module, so it does not import Effect. */
import { statSync } from "node:fs"
import type { Database } from "better-sqlite3"

/** A check that throws if the file of a connection is smaller than before, but its database is not. */
export const make = (database: Database): (() => void) => {
  const { name } = database
  const pageSize = Number(database.pragma("page_size", { simple: true }))
  const pages = database.prepare<[], number>("PRAGMA page_count").pluck().safeIntegers(false)
  // A missing file is reported by `FileIdentity`.
  const sizeNow = () => statSync(name, { throwIfNoEntry: false })?.size
  let seen = sizeNow() ?? 0
  return () => {
    const size = sizeNow() ?? seen
    // VACUUM makes both smaller. Until the next checkpoint the log has the pages that the file lacks.
    if (size < seen && (pages.get() ?? 0) * pageSize >= seen) {
      throw new Error(`${name} was truncated`)
    }
    seen = size
  }
}
