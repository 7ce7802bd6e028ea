/** Runs the process: the server by default, or the command that the arguments name. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { CommandFailed, exitCodes } from "../cli/CommandFailed.ts"
import { current, environment, printError, Terminal } from "../cli/Terminal.ts"
import * as Log from "../observe/Log.ts"
import * as Server from "../service/Server.ts"

/** As units and images start the server. */
const isServe = ([first = "serve", ...rest]: ReadonlyArray<string>) =>
  first === "serve" && rest.length === 0

/** Whether its last line belongs to a log. */
const hasLog = ([first = "serve"]: ReadonlyArray<string>) => first === "serve"

/** Loaded on demand: a server does not need the commands. */
const commandLine = (words: ReadonlyArray<string>) =>
  Effect.flatMap(
    Effect.promise(() => import("./CommandLine.ts")),
    ({ run }) => run(words)
  )

/** Runs a command line until it ends or a signal arrives, and ends the process. */
export const start = (words: ReadonlyArray<string>): void =>
  run(words).pipe(
    Effect.provideService(Terminal, current),
    Effect.withConfigProvider(environment),
    NodeRuntime.runMain({
      disableErrorReporting: true,
      disablePrettyLogger: true,
      teardown: (exit) => {
        // The work is done, so a signal no longer changes how the process ends, however long that takes.
        for (const signal of ["SIGINT", "SIGTERM"] as const) current.on(signal, () => {})
        current.exit(exitCodeOf(exit, current))
      }
    })
  )

/** Runs a command line and reports failures on standard error. */
export const run = (words: ReadonlyArray<string>): Effect.Effect<void, unknown, Terminal> =>
  Effect.flatMap(Terminal, ({ stderr, stdout }) => {
    // A log that cannot be written (disk full, pipe closed) does not stop the service; commands check their output.
    for (const stream of [stdout, stderr]) stream.on("error", () => {})
    return Effect.tapErrorCause(isServe(words) ? Server.serve : commandLine(words), (cause) => {
      const { message } = failureOf(cause)
      if (message === "") return Effect.void
      return hasLog(words) ? Log.fatal(message) : printError(message)
    })
  })

/** The exit code of a command line that ended like this. */
export const exitCodeOf = (
  exit: Exit.Exit<unknown, unknown>,
  { exitCode }: Pick<Terminal["Type"], "exitCode">
): number => {
  if (Exit.isSuccess(exit)) return exitCodes.done.code
  const { code } = exitCodes[failureOf(exit.cause).reason]
  return Cause.isInterruptedOnly(exit.cause) ? Number(exitCode ?? code) : code
}

/** The message is empty if the command was interrupted or its output pipe was closed. */
const failureOf = (cause: Cause.Cause<unknown>): Pick<CommandFailed, "message" | "reason"> => {
  if (Cause.isInterruptedOnly(cause)) return { message: "", reason: "interrupted" }
  const error = Cause.squash(cause)
  return error instanceof CommandFailed ? error : { message: Cause.pretty(cause), reason: "failed" }
}
