/** What the process does: serve, unless its arguments say otherwise. */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as App from "./App.ts"
import * as Failed from "./Failed.ts"

/** A server needs nothing of the command line, so that it is only loaded where there is one. */
const commandLine = (words: ReadonlyArray<string>) =>
  Effect.flatMap(
    Effect.promise(() => import("./cli/CommandLine.ts")),
    ({ run }) => run(words)
  )

/**
 * A log that cannot be written, its disk full or its reader gone, ends no service; whoever must know
 * what became of a line asks (`StandardOutput`). A terminal that is closed stops as SIGTERM does.
 */
const prepare = Effect.sync(() => {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
  process.once("SIGHUP", () => process.kill(process.pid, "SIGTERM"))
})

/** Does what the words say; what keeps it from that is told on standard error. */
export const run = (words: ReadonlyArray<string>): Effect.Effect<void, unknown> =>
  Effect.zipRight(
    prepare,
    Effect.tapErrorCause(words.length === 0 ? App.serve : commandLine(words), (cause) => {
      const complaint = Failed.describe(cause)
      return complaint === "" ? Effect.void : Console.error(complaint)
    })
  )
