/** Logs requests that the service could not handle, so that an outage does not fill the log. */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

const interval = Duration.unsafeToNanos("1 minute")

/** Logs the first refusal, and then their number once a minute; each with its cause at the level debug. */
export const make = Effect.map(Effect.clock, (clock) => {
  let count = 0
  let nextLine: bigint | undefined
  return (cause: unknown): Effect.Effect<void> => {
    const detail = Effect.logDebug("the cause of a refusal", Cause.fail(cause))
    const now = clock.unsafeCurrentTimeNanos()
    count++
    if (nextLine !== undefined && now < nextLine) return detail
    const refused =
      count === 1 ? "a request was refused" : `${count} requests were refused since the last line`
    nextLine = now + interval
    count = 0
    return Effect.zipRight(Effect.logWarning(`${refused}: ${messagesOf(cause)}`), detail)
  }
})

const messagesOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message}: ${messagesOf(error.cause)}`
}
