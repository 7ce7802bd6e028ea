/** What the errors of the driver mean. A program that does not use SQLite loads this module, which loads no driver. */
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"

/** An error as the driver's own, for what SQLite does not detect. */
export const failure = (message: string, code: string): Error =>
  Object.assign(new Error(message), { code })

/** The code of the error that no id is left, as SQLite would write it if it had one. */
export const noIdCode = "SQLITE_FULL_NO_ID"

/** SQLite's code of an error, such as `SQLITE_BUSY`; empty if it has none. */
export const codeOf = (error: unknown): string => {
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  return code.startsWith("SQLITE_") ? code : ""
}

/** Whether an error says that another process holds the lock. */
export const isBusy = (error: unknown): boolean => /^SQLITE_(?:BUSY|LOCKED)/.test(codeOf(error))

/** What an error means. */
export const reasonOf = (error: unknown): StoreUnavailable["reason"] => {
  if (isBusy(error)) return "busy"
  const code = codeOf(error)
  // A full disk, a quota or a file-size limit. A failing disk is reported by other codes, such as for a sync.
  if (/^SQLITE_(?:FULL|IOERR_SHMSIZE|IOERR_WRITE)$/.test(code) || code === noIdCode) return "full"
  // A read that ends too early is one of a file that was truncated.
  if (/^SQLITE_(?:CORRUPT|NOTADB|IOERR_SHORT_READ)/.test(code)) return "damaged"
  // SQLite also says this of a file that was moved.
  if (/^SQLITE_READONLY(?!_DBMOVED)/.test(code)) return "read-only"
  return "down"
}

/** Whether an error says that the driver has no binary, or one that Node cannot load. */
export const isNotLoaded = (error: Error): boolean =>
  "code" in error && /^(?:ERR_DLOPEN_FAILED|MODULE_NOT_FOUND)$/.test(String(error.code))
