/**
 * Detects that open files are no longer the ones that other processes find by their names, or were truncated. Threads load
 * this module, so it does not import Effect.
 */
import { statSync } from "node:fs"
import * as DatabaseFile from "./DatabaseFile.ts"
import * as Driver from "./Driver.ts"
import * as DriverError from "./DriverError.ts"

/** A check that throws while the files of a connection are not those that other processes write to. */
export const check = (database: Driver.Database): (() => void) => {
  const checkNames = namesCheck(database.name, ...DatabaseFile.logsOf(database.name))
  const checkSize = sizeCheck(database)
  return () => {
    checkNames()
    checkSize()
  }
}

/** A check that throws while one of these files is moved, deleted or replaced. */
export const namesCheck = (...paths: ReadonlyArray<string>): (() => void) => {
  const opened = paths.map((path) => ({ path, id: idOf(path) }))
  return () => {
    const lost = opened.find(({ id, path }) => idOf(path) !== id)
    if (lost !== undefined)
      throw new Error(
        `${lost.path} was moved, deleted or replaced; put it back, or restart the service`
      )
  }
}

/** A check that throws if the file of a connection is smaller than before, and pages of its database are lost. */
export const sizeCheck = (database: Driver.Database): (() => void) => {
  const { name } = database
  const pageSize = Number(database.value("PRAGMA page_size"))
  const pages = database.prepare<[bigint], []>("PRAGMA page_count")
  // A missing file is reported by `namesCheck`.
  const sizeNow = () => statSync(name, { throwIfNoEntry: false })?.size
  let seen = sizeNow() ?? 0
  /** The size that a truncation left: the search for lost pages reads the whole file, so it is not repeated. */
  let left: number | undefined
  const isCut = (size: number) =>
    size === left || (Number(pages.get()?.[0]) * pageSize > size && !isWhole(name, size))
  return () => {
    const size = sizeNow() ?? seen
    // VACUUM also makes the file smaller. Until the next checkpoint the log has the pages that the file lacks.
    if (size < seen && isCut(size)) {
      left = size
      throw DriverError.failure(`${name} was truncated`, "SQLITE_CORRUPT")
    }
    seen = size
  }
}

const intervalMillis = 500

/** Makes a check at most twice a second while it passes: for reads, which must be fast. */
export const rarely = (check: () => void): (() => void) => {
  let checkedAt = performance.now()
  return () => {
    const now = performance.now()
    if (now - checkedAt < intervalMillis) return
    check()
    checkedAt = now
  }
}

/** Whether two paths lead to one file. */
export const isSame = (path: string, other: string): boolean => {
  const id = idOf(path)
  return id !== undefined && id === idOf(other)
}

const idOf = (path: string): string | undefined => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}`
}

/** Whether a file and its log have all pages. A new connection has none of them in its cache. */
const isWhole = (name: string, size: number): boolean => {
  // SQLite would remove the log of an empty file.
  if (size === 0) return false
  const database = Driver.open(name, { readonly: true, timeout: 100 })
  try {
    // A page that is missing reads as zeros. In the last page of a long name that is no error, but no name has them.
    const zeros = "SELECT 1 FROM pets WHERE instr(name, char(0)) > 0 LIMIT 1"
    return database.value("PRAGMA quick_check(1)") === "ok" && database.value(zeros) === undefined
  } finally {
    database.close()
  }
}
