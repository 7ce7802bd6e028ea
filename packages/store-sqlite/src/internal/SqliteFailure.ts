/** Converts SQLite's errors to the domain's. */
import { NoIdLeft, StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Effect from "effect/Effect"
import { DriverNotLoaded } from "../DriverNotLoaded.ts"
import { noIdCode } from "./LastId.ts"

/** Evaluates something that may throw SQLite's errors. */
export const attempt = <A>(evaluate: () => A): Effect.Effect<A, StoreUnavailable> =>
  Effect.try({ try: evaluate, catch: from })

/** The failure for an error of the driver, by SQLite's error code. */
export const from = (cause: unknown): StoreUnavailable =>
  cause instanceof StoreUnavailable
    ? cause
    : new StoreUnavailable({ reason: reasonOf(codeOf(cause)), cause: readable(cause) })

/** Escapes control characters, such as terminal commands in names that come from a file, and shortens the text. */
export const printable = (text: string): string =>
  text
    .slice(0, 300)
    .replaceAll(
      /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
      (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`
    )

/** SQLite's messages may have names in them, and those of a driver that is not loaded do not say what to do. */
const readable = (cause: unknown): unknown => {
  if (!(cause instanceof Error)) return cause
  if (isNotLoaded(cause)) return new DriverNotLoaded({ cause })
  if (codeOf(cause) === noIdCode) return new NoIdLeft()
  if (codeOf(cause) === "") return cause
  const message = printable(cause.message)
  return message === cause.message
    ? cause
    : Object.assign(new Error(message), { code: codeOf(cause) })
}

/** Node has a code for a binary that does not fit; the package that looks for one has none. */
const isNotLoaded = (error: Error): boolean =>
  ("code" in error && error.code === "ERR_DLOPEN_FAILED") ||
  error.message.startsWith("Could not locate the bindings file")

/** SQLite's code of an error or of one of its causes; empty when there is none. */
export const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return ""
  const code = "code" in error ? String(error.code) : ""
  return code.startsWith("SQLITE_") ? code : codeOf(error.cause)
}

/** An error for damage that SQLite does not detect. */
export const corrupt = (message: string): Error =>
  Object.assign(new Error(message), { code: "SQLITE_CORRUPT" })

const reasonOf = (code: string): StoreUnavailable["reason"] => {
  if (/^SQLITE_(?:BUSY|LOCKED)/.test(code)) return "busy"
  // A full disk, a quota or a file-size limit. A failing disk is reported by other codes, such as for a sync.
  if (/^SQLITE_(?:FULL|IOERR_SHMSIZE|IOERR_WRITE)$/.test(code) || code === noIdCode) return "full"
  // A read that ends too early is one of a file that was truncated.
  if (/^SQLITE_(?:CORRUPT|NOTADB|IOERR_SHORT_READ)/.test(code)) return "damaged"
  // SQLite also says this of a file that was moved.
  if (/^SQLITE_READONLY(?!_DBMOVED)/.test(code)) return "read-only"
  return "down"
}
