/** Standard output, for the results of commands only. */
import * as Effect from "effect/Effect"
import { CommandFailed } from "./CommandFailed.ts"

/** Writes a text and waits for it. Fails without a message if the pipe was closed, as by `| head`. */
export const write = (text: string): Effect.Effect<void, CommandFailed> =>
  Effect.async((resume) => {
    process.stdout.write(text, (error) => {
      if (!error) return resume(Effect.void)
      const isClosed = "code" in error && error.code === "EPIPE"
      const message = isClosed ? "" : `cannot write to standard output (${error.message})`
      resume(
        new CommandFailed({ message, reason: isClosed ? "closedPipe" : "failed", cause: error })
      )
    })
  })
