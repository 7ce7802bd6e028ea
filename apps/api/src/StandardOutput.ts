/** What a command was asked for goes here, and nothing else does. */
import * as Effect from "effect/Effect"
import { Failed } from "./Failed.ts"

/** Prints a text, and fails when it was not taken: quietly when nobody reads on, as after `| head`. */
export const write = (text: string): Effect.Effect<void, Failed> =>
  Effect.async((resume) => {
    process.stdout.write(text, (error) => {
      if (!error) return resume(Effect.void)
      const isUnread = "code" in error && error.code === "EPIPE"
      const message = isUnread ? "" : `standard output cannot be written (${error.message})`
      resume(new Failed({ message, reason: isUnread ? "unread" : "failed", cause: error }))
    })
  })
