/** Whether a file that was opened is still the one that others find by its name. */
import { statSync } from "node:fs"
import Database from "better-sqlite3"

/** Throws once the file was moved, deleted or replaced: it can be used still, but nobody else does. */
export const make = (filename: string): (() => void) => {
  const inode = statSync(filename).ino
  return () => {
    if (statSync(filename, { throwIfNoEntry: false })?.ino === inode) return
    throw new Database.SqliteError("the file is no longer in its place", "SQLITE_READONLY_DBMOVED")
  }
}
