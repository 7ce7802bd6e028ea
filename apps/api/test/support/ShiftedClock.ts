/** A clock that is ahead of the real one, or behind it. */
import { Clock, Effect } from "effect"

/** This many milliseconds ahead, and more after each `advance`. Waits take their real time. */
export const shiftedClock = (
  millis = 0
): Clock.Clock & { readonly advance: (millis: number) => void } => {
  const real = Clock.make()
  let ahead = millis
  const unsafeCurrentTimeMillis = () => real.unsafeCurrentTimeMillis() + ahead
  const unsafeCurrentTimeNanos = () => real.unsafeCurrentTimeNanos() + BigInt(ahead) * 1_000_000n
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis,
    unsafeCurrentTimeNanos,
    currentTimeMillis: Effect.sync(unsafeCurrentTimeMillis),
    currentTimeNanos: Effect.sync(unsafeCurrentTimeNanos),
    sleep: real.sleep,
    advance: (millis) => {
      ahead += millis
    }
  }
}
