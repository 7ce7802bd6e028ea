/**
 * Decides what errors of PostgreSQL and of the driver mean, by their codes. The driver has none for three of its own, which
 * only their messages tell: `isPoolTimeout`, `isPooler` and "Connection terminated".
 */
import { NoIdLeft, StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { DatabaseError } from "pg"

/** A failure for this reason, with a message for operators. */
export const make = (reason: StoreUnavailable["reason"], message: string): StoreUnavailable =>
  new StoreUnavailable({ reason, cause: new Error(message) })

/** The failure for an error, by its SQLSTATE code if it has one. */
export const from = (cause: unknown): StoreUnavailable =>
  cause instanceof StoreUnavailable
    ? cause
    : new StoreUnavailable({ reason: reasonOf(cause), cause: explained(cause) })

/** The result of a function, or the failure for what it throws. */
export const attempt = <A>(evaluate: () => A): Exit.Exit<A, StoreUnavailable> => {
  try {
    return Exit.succeed(evaluate())
  } catch (error) {
    return Exit.fail(from(error))
  }
}

/** The result of a function that reads a URL. Its error is not kept: it may have the URL and so the password. */
export const ofUrl = <A>(evaluate: () => A): Effect.Effect<A, StoreUnavailable> =>
  Effect.try({
    try: evaluate,
    catch: (error) =>
      make("down", `the URL of the database is invalid: ${error instanceof Error && error.message}`)
  })

/** The code of an error or of one of its causes; empty when there is none. */
const codeOf = (error: unknown): string => String(originOf(error).code ?? "")

/** What the first cause of an error says. */
const originOf = (error: unknown): Origin => {
  if (!(error instanceof Error)) return {}
  return error.cause === undefined ? error : originOf(error.cause)
}

type Origin = Partial<Pick<DatabaseError, "message" | "code" | "constraint">>

/**
 * What a failure says of its connection: the server refused a statement and takes others, it is gone or could not be made in
 * time, or neither is certain, such as when a prepared statement is missing or no longer fits its table.
 */
export const outcomeOf = (error: unknown): "answered" | "gone" | "other" => {
  if (!(error instanceof StoreUnavailable)) return "other"
  const code = codeOf(error)
  // Values, constraints, conflicts, no disk space, and locks and statements that took too long.
  if (/^(?:22|23|40|53100|55P03|57014)/.test(code) || isNoIdLeft(error)) return "answered"
  // Besides errors of the driver and of Node: connections, passwords, idle transactions and shutdowns.
  const isGone = error.reason === "down" && /^(?:$|\D|08|28|25P03|57P)/.test(code)
  return isGone || isPoolTimeout(error) ? "gone" : "other"
}

/**
 * Whether a transaction was rolled back because of another one, so that it can be run again: a serialization
 * failure, a deadlock, or an idempotency key that it has used.
 */
export const isConflict = (error: unknown): boolean =>
  /^(?:40001|40P01)$/.test(codeOf(error)) ||
  originOf(error).constraint === "idempotency_keys_are_unique"

/** Whether a write was refused by a standby, or because a role or a database is set to read only. */
export const isReadOnly = (error: unknown): boolean => codeOf(error) === "25006"

/** Whether a table is missing. */
export const isMissing = (error: unknown): boolean => codeOf(error) === "42P01"

/**
 * Whether programs that migrate together ran into the same row or the same name, each other's locks, or tables that are
 * altered at this moment. The next try finds what the other one did.
 */
export const isRivalry = (error: unknown): boolean =>
  /^(?:23505|42P07|42710|40001|40P01|55P03|XX000)$/.test(codeOf(error))

/** Whether a server runs that accepts no connection yet: it starts, or has no free one. */
export const isStarting = (error: unknown): boolean => /^(?:57P03|53300)$/.test(codeOf(error))

/** Whether a server cannot be reached, or accepts no connection yet. */
export const isAway = (error: unknown): boolean =>
  /^(?:E(?:CONN|HOST|NET|TIMEDOUT|NOTFOUND|AI_AGAIN)|57P03)/.test(codeOf(error)) ||
  isPoolTimeout(error) ||
  messageOf(error).startsWith("Connection terminated")

/** Whether no id is left. */
export const isNoIdLeft = ({ cause }: StoreUnavailable): boolean => cause instanceof NoIdLeft

/** Whether a number is greater than a bigint can hold: only ids reach that. */
const isOverflow = (error: unknown): boolean => codeOf(error) === "22003"

const reasonOf = (cause: unknown): StoreUnavailable["reason"] => {
  const code = codeOf(cause)
  // Locks and statements that took too long, conflicts, and no connection left on the server or in the pool.
  if (/^(?:55P03|57014|53300)$/.test(code) || isConflict(cause) || isPoolTimeout(cause)) {
    return "busy"
  }
  // No disk space, or no id.
  if (code === "53100" || isOverflow(cause)) return "full"
  if (isReadOnly(cause)) return "read-only"
  if (/^XX00[12]$/.test(code)) return "damaged"
  // No such table or column, or a connection pooler that is not set up for this.
  if (/^(?:42P01|42703)$/.test(code) || isPooler(cause)) return "incompatible"
  return "down"
}

const isPoolTimeout = (cause: unknown): boolean =>
  messageOf(cause) === "timeout exceeded when trying to connect"

/** Such as PgBouncer, which by default refuses these timeouts and loses prepared statements between transactions. */
const isPooler = (cause: unknown): boolean =>
  messageOf(cause).startsWith("unsupported startup parameter") ||
  /^(?:26000|42P05)$/.test(codeOf(cause))

/** What the first cause of an error says, or its code if that is nothing. */
export const messageOf = (cause: unknown): string => originOf(cause).message || codeOf(cause)

/** The same error, or one that says more. */
const explained = (cause: unknown): unknown => {
  if (isOverflow(cause)) return new NoIdLeft()
  return isPooler(cause)
    ? new Error(
        `${messageOf(cause)}; a connection pooler refuses timeouts or prepared statements: connect to the ` +
          "database itself, or for PgBouncer 1.21 or later set max_prepared_statements and " +
          "ignore_startup_parameters = statement_timeout, lock_timeout, idle_in_transaction_session_timeout"
      )
    : cause
}
