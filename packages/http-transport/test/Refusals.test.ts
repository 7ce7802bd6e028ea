import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Logger, LogLevel } from "effect"
import * as Refusals from "../src/internal/exchange/Refusals.ts"

let now = 0n
const clock = Object.assign(Clock.make(), { unsafeCurrentTimeNanos: () => now })
const down = new Error("the store is down", { cause: new Error("connect ECONNREFUSED") })

/** Logs as many refusals, at a minimum level, and returns the lines. */
const linesOf = (
  level: LogLevel.LogLevel,
  log: (refuse: Effect.Effect<void>) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const logger = Logger.make(({ cause, logLevel, message }) => {
      lines.push(`${logLevel.label} ${message} ${cause._tag}`)
    })
    const refuse = Effect.map(Refusals.make, (of) => Effect.suspend(() => of(down)))
    yield* Effect.flatMap(refuse, log).pipe(
      Effect.withClock(clock),
      Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
      Logger.withMinimumLogLevel(level)
    )
    return lines
  })

describe("the log of refused requests", () => {
  it.live("has the first, and their number once a minute, without stacks", () =>
    Effect.gen(function* () {
      const lines = yield* linesOf(LogLevel.Info, (refuse) =>
        Effect.gen(function* () {
          yield* Effect.repeatN(refuse, 1500)
          now += 60_000_000_000n
          yield* Effect.repeatN(refuse, 1500)
          now += 600_000_000_000n
          yield* Effect.repeatN(refuse, 1500)
        })
      )
      const later =
        "WARN 1501 requests were refused since the last line: the store is down: connect ECONNREFUSED Empty"
      expect(lines).toEqual([
        "WARN a request was refused: the store is down: connect ECONNREFUSED Empty",
        later,
        later
      ])
    })
  )

  it.live("has the cause of each at the level debug", () =>
    Effect.gen(function* () {
      const lines = yield* linesOf(LogLevel.Debug, (refuse) => Effect.repeatN(refuse, 2))
      expect(lines.slice(1)).toEqual(Array(3).fill("DEBUG the cause of a refusal Fail"))
    })
  )
})
