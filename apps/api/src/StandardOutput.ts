/** What a command was asked for goes here, and nothing else does. */
import * as Effect from "effect/Effect"
import { CommandFailed } from "./CommandFailed.ts"

/** Prints a text, and fails when it was not taken: quietly when nobody reads on, as after `| head`. */
export const write = (text: string): Effect.Effect<void, CommandFailed> =>
  Effect.async((resume) => {
    process.stdout.write(text, (error) => {
      if (!error) return resume(Effect.void)
      const isUnread = "code" in error && error.code === "EPIPE"
      const message = isUnread ? "" : `standard output cannot be written (${error.message})`
      resume(
        new CommandFailed({ message, reason: isUnread ? "closedPipe" : "failed", cause: error })
      )
    })
  })
