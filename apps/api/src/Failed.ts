/** What keeps a command from doing its work, in words that say how to mend it. */
import type { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import type { ListenFailed } from "@petstore/http-server/HttpListener"
import * as Cause from "effect/Cause"
import type * as ConfigError from "effect/ConfigError"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** What the program ends with, for scripts to tell one reason from another. */
export const endings = {
  done: { code: 0, meaning: "done" },
  failed: {
    code: 1,
    meaning: "it could not be done: no such thing, a bad file, something found wrong"
  },
  usage: { code: 2, meaning: "the command line or a variable is wrong" },
  unavailable: { code: 3, meaning: "the database or the service is not available" },
  refused: { code: 4, meaning: "the service refuses the key" },
  interrupted: { code: 130, meaning: "interrupted" },
  unread: { code: 141, meaning: "nobody read on what it printed" }
} as const

/** The command failed, and why. */
export class Failed extends Data.TaggedError("Failed")<{
  readonly message: string
  readonly reason: keyof typeof endings
  readonly cause?: unknown
}> {}

/** Every variable that is wrong, a line each. */
export const fromConfig = (error: ConfigError.ConfigError): Failed =>
  new Failed({ message: complaints(error).join("\n"), reason: "usage", cause: error })

/** A failure of the store that `DATABASE_URL` names, and how to fix it. */
export const fromStore =
  (database: { readonly url: string }) =>
  (error: StoreUnavailable): Failed => {
    const cause = innermost(error)
    const message =
      "code" in cause && cause.code === "ERR_DLOPEN_FAILED"
        ? `better-sqlite3 cannot be loaded by Node ${process.version}: run npx pnpm rebuild better-sqlite3`
        : `DATABASE_URL ${database.url} cannot be used (${cause.message}): ${remedies[error.reason]}`
    return new Failed({ message, reason: "unavailable", cause: error })
  }

/** The failure of the socket, told in terms of the variables that chose it. */
export const fromListener = (error: ListenFailed): Failed =>
  new Failed({ message: listen(error), reason: "unavailable", cause: error })

/** From here on the work counts as done, although somebody stops the program. */
export const countAsDone: Effect.Effect<void> = Effect.sync(() => {
  process.exitCode = endings.done.code
})

/** The number that the process ends with. */
export const exitCodeOf = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit)) return endings.done.code
  if (Cause.isInterruptedOnly(exit.cause)) {
    return Number(process.exitCode ?? endings.interrupted.code)
  }
  const error = Cause.squash(exit.cause)
  return endings[error instanceof Failed ? error.reason : "failed"].code
}

/** What to print of a failure; nothing when somebody stopped the command, or reads it no more. */
export const describe = (cause: Cause.Cause<unknown>): string => {
  if (Cause.isInterruptedOnly(cause)) return ""
  const error = Cause.squash(cause)
  return error instanceof Failed ? error.message : Cause.pretty(cause)
}

/** What is wrong with each variable. */
export const complaints = (error: ConfigError.ConfigError): ReadonlyArray<string> => {
  switch (error._op) {
    case "And":
      return [...complaints(error.left), ...complaints(error.right)]
    case "Or":
      return complaints(error.left)
    default:
      return [error.message]
  }
}

const remedies: Readonly<Record<StoreUnavailable["reason"], string>> = {
  busy: "another process holds it; try again when that one is done",
  full: "make room on its disk",
  damaged: "put a backup in its place, or set DATABASE_URL to another file",
  incompatible: "run the version of petstore that made it, or set DATABASE_URL to another file",
  down: "set DATABASE_URL to a file that can be written, or to memory:"
}

const listen = ({ cause, host, port }: ListenFailed): string => {
  switch (cause.code) {
    case "EADDRINUSE":
      return `PORT ${port} is in use on ${host}: stop what uses it, or set PORT to another`
    case "EACCES":
      return `PORT ${port} is not open to this user: set PORT to one above 1023`
    default:
      return `HOST ${host} cannot be listened on (${cause.message}): set HOST to an address of this machine`
  }
}

/** The root cause: its message is the most specific. */
const innermost = (error: Error): Error =>
  error.cause instanceof Error ? innermost(error.cause) : error
