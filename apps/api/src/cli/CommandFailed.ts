/** The error of commands and their exit codes. Its message says what failed and how to fix it. */
import type * as ConfigError from "effect/ConfigError"
import * as Data from "effect/Data"

/** The exit code of each outcome, so that scripts can tell them apart, and what help says about it. */
export const exitCodes = {
  done: { code: 0, meaning: "success" },
  failed: { code: 1, meaning: "failure: not found, invalid file, or a failed check" },
  usage: { code: 2, meaning: "invalid command line or environment variable" },
  unavailable: { code: 3, meaning: "the database or the service is not available" },
  refused: { code: 4, meaning: "the service rejected the API key" },
  interrupted: { code: 130, meaning: "interrupted" },
  closedPipe: { code: 141, meaning: "the output pipe was closed (SIGPIPE)" }
} as const

/** A command failed; the reason decides the exit code. */
export class CommandFailed extends Data.TaggedError("CommandFailed")<{
  readonly message: string
  readonly reason: keyof typeof exitCodes
  readonly cause?: unknown
}> {}

const because = (reason: CommandFailed["reason"]) => (message: string, cause?: unknown) =>
  new CommandFailed({ message, reason, cause })

export const failed = because("failed")
export const invalid = because("usage")
export const unavailable = because("unavailable")
export const refused = because("refused")
export const closedPipe = because("closedPipe")

/** Invalid variables, one per line. */
export const fromConfig = (error: ConfigError.ConfigError) =>
  invalid(configMessages(error).join("\n"), error)

/** One message per invalid variable. */
export const configMessages = (error: ConfigError.ConfigError): ReadonlyArray<string> =>
  error._op === "And"
    ? [...configMessages(error.left), ...configMessages(error.right)]
    : [error.message]

/** The root cause: its message is the most specific. */
export const innermost = (error: Error): Error =>
  error.cause instanceof Error ? innermost(error.cause) : error
