/** Converts SQLite's errors to the domain's. */
import { NoIdLeft, StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Effect from "effect/Effect"
import { DriverNotLoaded } from "../DriverNotLoaded.ts"
import * as DriverError from "./DriverError.ts"

/** Evaluates something that may throw SQLite's errors. */
export const attempt = <A>(evaluate: () => A): Effect.Effect<A, StoreUnavailable> =>
  Effect.try({ try: evaluate, catch: from })

/** The failure for an error of the driver. */
export const from = (cause: unknown): StoreUnavailable =>
  cause instanceof StoreUnavailable
    ? cause
    : new StoreUnavailable({ reason: DriverError.reasonOf(cause), cause: readable(cause) })

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
  if (DriverError.isNotLoaded(cause)) return new DriverNotLoaded({ cause })
  const code = DriverError.codeOf(cause)
  if (code === DriverError.noIdCode) return new NoIdLeft()
  if (code === "") return cause
  const message = printable(cause.message)
  return message === cause.message ? cause : DriverError.failure(message, code)
}

/** An error for damage that SQLite does not detect. */
export const corrupt = (message: string): Error => DriverError.failure(message, "SQLITE_CORRUPT")
