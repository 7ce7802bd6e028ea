/** Lets one event a minute through, so that those that callers can cause do not fill the log. */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"

const interval = Duration.unsafeToNanos("1 minute")

/** Gives the number of events since the one that was let through last, or 0 if this one is not. */
export const make = (clock: Clock.Clock) => {
  let count = 0
  let next: bigint | undefined
  return (): number => {
    const now = clock.unsafeCurrentTimeNanos()
    count++
    if (next !== undefined && now < next) return 0
    next = now + interval
    const counted = count
    count = 0
    return counted
  }
}
