/** How operations fail, how long they take, and a clock on which they take no time. */
import { Cause, Clock, Duration, Effect, Exit } from "effect"
import { expect } from "vitest"

/** How many milliseconds an effect takes of those in which this process gets to run: busy machines pause it for seconds. */
export const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const ticks = { count: 0 }
      const timer = setInterval(() => ticks.count++, 10)
      return { ticks, timer }
    }),
    ({ ticks }) => Effect.map(effect, (value) => [10 * ticks.count, value] as const),
    ({ timer }) => Effect.sync(() => clearInterval(timer))
  )

/** Expects a StoreUnavailable of this reason, and no defect, within these milliseconds. */
export const expectFailure = <A, E, R>(
  operation: Effect.Effect<A, E, R>,
  reason: unknown,
  within = 2000
) =>
  Effect.gen(function* () {
    const [spent, exit] = yield* timed(Effect.exit(operation))
    expect(spent).toBeLessThan(within)
    if (Exit.isSuccess(exit)) throw new Error("it succeeded")
    expect([...Cause.defects(exit.cause)]).toEqual([])
    expect([...Cause.failures(exit.cause)]).toMatchObject([{ _tag: "StoreUnavailable", reason }])
    return [...Cause.failures(exit.cause)][0]
  })

/** A clock on which every wait is over at once, and the seconds that have passed. */
export const makeClock = () => {
  let now = 0
  const clock = Object.assign(Clock.make(), {
    currentTimeMillis: Effect.sync(() => now),
    unsafeCurrentTimeMillis: () => now,
    sleep: (duration: Duration.Duration) =>
      Effect.sync(() => {
        now += Duration.toMillis(duration)
      })
  })
  return { clock, seconds: () => now / 1000 }
}
