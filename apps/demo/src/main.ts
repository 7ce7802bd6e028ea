import { parseArgs } from "node:util"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Demo from "./Demo.ts"

const help = `Shows several servers on one database: a PostgreSQL, three replicas of the service, a proxy and load.
Kills a replica, starts it again, and checks that no acknowledged pet is lost.

  --seconds N  how long to run, at least 3; 20 by default
  --help

Prints a line per second. Exits with 1 if a pet was lost or is there twice, or if the service did not go on.
`

class InvalidOption extends Data.TaggedError("InvalidOption")<{ readonly message: string }> {}

const options = { seconds: { type: "string", default: "20" }, help: { type: "boolean" } } as const

const failureCodeOf = <A, E>({ cause }: Exit.Failure<A, E>) =>
  Cause.isInterruptedOnly(cause) ? 130 : 1

const main = Effect.gen(function* () {
  const { values } = yield* Effect.try({
    try: () => parseArgs({ options }),
    catch: (error) =>
      new InvalidOption({ message: error instanceof Error ? error.message : String(error) })
  })
  const seconds = Number(values.seconds)
  if (values.help) process.stdout.write(help)
  else if (!(seconds >= 3)) yield* new InvalidOption({ message: "--seconds must be at least 3" })
  else process.exitCode = (yield* Demo.run(seconds)) ? 0 : 1
}).pipe(
  Effect.catchAll((error) =>
    Effect.sync(() => {
      process.stderr.write(`${error.message}\n`)
      process.exitCode = 2
    })
  )
)

NodeRuntime.runMain(main, {
  teardown: (exit) => process.exit(Exit.isSuccess(exit) ? process.exitCode : failureCodeOf(exit))
})
