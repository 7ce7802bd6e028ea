/** Runs the process: the server by default, or the command that the arguments name. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as App from "./App.ts"
import { CommandFailed, exitCodes } from "./CommandFailed.ts"

/** Loaded on demand: a server does not need the commands. */
const commandLine = (words: ReadonlyArray<string>) =>
  Effect.flatMap(
    Effect.promise(() => import("./commands/CommandLine.ts")),
    ({ run }) => run(words)
  )

/**
 * A log that cannot be written (disk full, pipe closed) does not stop the service; commands check their
 * output with `Terminal.write`. A closed terminal stops the process like SIGTERM.
 */
const prepare = Effect.sync(() => {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
  process.on("SIGHUP", () => process.kill(process.pid, "SIGTERM"))
})

/** Runs a command line until it ends or a signal arrives. */
export const start = (words: ReadonlyArray<string>): void =>
  NodeRuntime.runMain(run(words), {
    disableErrorReporting: true,
    disablePrettyLogger: true,
    teardown: (exit) => {
      // The work is done, so a signal no longer changes how the process ends, however long that takes.
      for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {})
      process.exit(exitCodeOf(exit))
    }
  })

/** Runs a command line and reports failures on standard error. */
const run = (words: ReadonlyArray<string>): Effect.Effect<void, unknown> =>
  Effect.zipRight(
    prepare,
    Effect.tapErrorCause(words.length === 0 ? App.serve : commandLine(words), (cause) => {
      const { message } = failureOf(cause)
      return message === "" ? Effect.void : Console.error(message)
    })
  )

/** The exit code of the process. */
const exitCodeOf = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit)) return exitCodes.done.code
  const { code } = exitCodes[failureOf(exit.cause).reason]
  return Cause.isInterruptedOnly(exit.cause) ? Number(process.exitCode ?? code) : code
}

/** The message is empty if the command was interrupted or its output pipe was closed. */
const failureOf = (cause: Cause.Cause<unknown>): Pick<CommandFailed, "message" | "reason"> => {
  if (Cause.isInterruptedOnly(cause)) return { message: "", reason: "interrupted" }
  const error = Cause.squash(cause)
  return error instanceof CommandFailed ? error : { message: Cause.pretty(cause), reason: "failed" }
}
