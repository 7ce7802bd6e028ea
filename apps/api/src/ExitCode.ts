/** Exit codes, so that scripts can tell one outcome from another. */
import * as Effect from "effect/Effect"

/** The exit code of each outcome, and what help says about it. */
export const exitCodes = {
  done: { code: 0, meaning: "success" },
  failed: { code: 1, meaning: "failure: not found, invalid file, or a failed check" },
  usage: { code: 2, meaning: "invalid command line or environment variable" },
  unavailable: { code: 3, meaning: "the database or the service is not available" },
  refused: { code: 4, meaning: "the service rejected the API key" },
  interrupted: { code: 130, meaning: "interrupted" },
  closedPipe: { code: 141, meaning: "the output pipe was closed (SIGPIPE)" }
} as const

/** Why a command ends. */
export type Outcome = keyof typeof exitCodes

/** From here on, an interruption exits with 0: the work is done. */
export const countAsDone: Effect.Effect<void> = Effect.sync(() => {
  process.exitCode = exitCodes.done.code
})
