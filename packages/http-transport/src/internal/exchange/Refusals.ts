/** Logs requests that the service could not handle, so that an outage does not fill the log. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as OncePerMinute from "../../OncePerMinute.ts"

/** Logs the first refusal, and then their number once a minute; each with its cause at the level debug. */
export const make = Effect.map(Effect.clock, (clock) => {
  const pass = OncePerMinute.make(clock)
  return (cause: unknown): Effect.Effect<void> => {
    const detail = Effect.logDebug("the cause of a refusal", Cause.fail(cause))
    const count = pass()
    if (count === 0) return detail
    const refused =
      count === 1 ? "a request was refused" : `${count} requests were refused since the last line`
    return Effect.zipRight(Effect.logWarning(`${refused}: ${messagesOf(cause)}`), detail)
  }
})

const messagesOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message}: ${messagesOf(error.cause)}`
}
