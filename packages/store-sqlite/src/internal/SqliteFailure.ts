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

/** Errors that do not say what to do, or in the words of SQLite. */
const readable = (cause: unknown): unknown => {
  if (!(cause instanceof Error)) return cause
  if (DriverError.isNotLoaded(cause)) return new DriverNotLoaded({ cause })
  return DriverError.codeOf(cause) === DriverError.noIdCode ? new NoIdLeft() : cause
}

/** An error for damage that SQLite does not detect. */
export const corrupt = (message: string): Error => DriverError.failure(message, "SQLITE_CORRUPT")
