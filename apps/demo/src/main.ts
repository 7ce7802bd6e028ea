import { parseArgs } from "node:util"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Failover from "./Failover.ts"
import * as KillReplica from "./KillReplica.ts"

const help = `Shows several servers on one database: a PostgreSQL, replicas of the service, a proxy and load.

  replicas          kill one of three replicas, and start it again; the default
    --seconds N     how long to run, at least 3; 20 by default
  failover          kill the primary of two PostgreSQL, and promote its standby
    --times N       how often; 1 by default
    --seconds N     how long to run before each time, and after the last; 5 by default
    --reads standby lets the standby answer reads; the primary does by default
  --help

Prints a line per second. Checks that no acknowledged pet is lost: exits with 1 if a pet was lost or is there twice, if a
caller that follows the list missed one, or if the service did not go on.
`

class InvalidOption extends Data.TaggedError("InvalidOption")<{ readonly message: string }> {}

const options = {
  seconds: { type: "string" },
  times: { type: "string", default: "1" },
  reads: { type: "string", default: "primary" },
  help: { type: "boolean" }
} as const

const failureCodeOf = <A, E>({ cause }: Exit.Failure<A, E>) =>
  Cause.isInterruptedOnly(cause) ? 130 : 1

const main = Effect.gen(function* () {
  const { positionals, values } = yield* Effect.try({
    try: () => parseArgs({ options, allowPositionals: true }),
    catch: (error) =>
      new InvalidOption({ message: error instanceof Error ? error.message : String(error) })
  })
  const [scenario = "replicas"] = positionals
  const isFailover = scenario === "failover"
  const { reads } = values
  const seconds = Number(values.seconds ?? (isFailover ? 5 : 20))
  const times = Number(values.times)
  const reject = (message: string) => new InvalidOption({ message })
  if (values.help) return process.stdout.write(help)
  if (!isFailover && scenario !== "replicas") return yield* reject(`${scenario} is not known`)
  if (!(seconds >= (isFailover ? 1 : 3))) return yield* reject("--seconds is too small")
  if (!(Number.isInteger(times) && times > 0)) return yield* reject("--times must be positive")
  if (reads !== "primary" && reads !== "standby") {
    return yield* reject("--reads must be primary or standby")
  }
  const wrong = yield* isFailover
    ? Failover.run(reads, { seconds, times })
    : KillReplica.run(seconds)
  process.exitCode = wrong.length === 0 ? 0 : 1
  return undefined
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
