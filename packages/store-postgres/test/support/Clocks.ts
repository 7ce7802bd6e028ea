/** Clocks for tests. */
import { Clock, Duration, Effect } from "effect"

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
