/** The error of commands. Its message says what failed and how to fix it. */
import type { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import type { ListenFailed } from "@petstore/http-server/HttpListener"
import type * as ConfigError from "effect/ConfigError"
import * as Data from "effect/Data"
import type { Outcome } from "./ExitCode.ts"

/** A command failed; the reason decides the exit code. */
export class CommandFailed extends Data.TaggedError("CommandFailed")<{
  readonly message: string
  readonly reason: Outcome
  readonly cause?: unknown
}> {}

/** Invalid variables, one per line. */
export const fromConfig = (error: ConfigError.ConfigError): CommandFailed =>
  new CommandFailed({ message: configMessages(error).join("\n"), reason: "usage", cause: error })

/** The store that `DATABASE_URL` names failed. */
export const fromStore =
  (database: { readonly url: string }) =>
  (error: StoreUnavailable): CommandFailed => {
    const cause = innermost(error)
    const message =
      "code" in cause && cause.code === "ERR_DLOPEN_FAILED"
        ? `better-sqlite3 cannot be loaded by Node ${process.version}: run npx pnpm rebuild better-sqlite3`
        : `DATABASE_URL ${database.url} cannot be used (${cause.message}): ${remedies[error.reason]}`
    return new CommandFailed({ message, reason: "unavailable", cause: error })
  }

/** The server cannot listen; the message names the variable to change. */
export const fromListener = (error: ListenFailed): CommandFailed =>
  new CommandFailed({ message: listen(error), reason: "unavailable", cause: error })

/** One message per invalid variable. */
export const configMessages = (error: ConfigError.ConfigError): ReadonlyArray<string> => {
  switch (error._op) {
    case "And":
      return [...configMessages(error.left), ...configMessages(error.right)]
    case "Or":
      return configMessages(error.left)
    default:
      return [error.message]
  }
}

const remedies: Readonly<Record<StoreUnavailable["reason"], string>> = {
  busy: "another process has locked it; try again later",
  full: "free space on its disk",
  damaged: "restore a backup, or set DATABASE_URL to another file",
  incompatible: "run the version of petstore that created it, or set DATABASE_URL to another file",
  down: "set DATABASE_URL to a writable file, or to memory:"
}

const listen = ({ cause, host, port }: ListenFailed): string => {
  switch (cause.code) {
    case "EADDRINUSE":
      return `PORT ${port} is in use on ${host}: stop the other process, or set PORT to another port`
    case "EACCES":
      return `PORT ${port} requires privileges: set PORT to a port above 1023`
    default:
      return `HOST ${host} is not available (${cause.message}): set HOST to an address of this machine`
  }
}

/** The root cause: its message is the most specific. */
const innermost = (error: Error): Error =>
  error.cause instanceof Error ? innermost(error.cause) : error
