/** Waits at the start for a database on a server that does not answer yet, such as at boot. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { type Database, isDurable, type Options } from "./Database.ts"

const interval = "500 millis"

/** The stores of a database, which may take this long to answer. They report what is wrong for good. */
export const layer = (database: Database, timeout: Duration.Duration, options: Options) => {
  const stores = database.layer(options)
  if (!isDurable(database) || Duration.toMillis(timeout) === 0) return stores
  const { exists, explain, mayAppear = () => false } = database
  const seconds = Duration.toSeconds(timeout)
  const again = Effect.retry(exists, {
    schedule: Schedule.spaced(interval).pipe(Schedule.upTo(timeout)),
    while: mayAppear
  })
  // Logs once that it waits.
  const wait = Effect.catchIf(exists, mayAppear, (error) =>
    Effect.zipRight(
      Effect.logWarning(`waiting for the database, for up to ${seconds} s: ${explain(error)}`),
      Effect.delay(again, interval)
    )
  )
  return Layer.unwrapEffect(Effect.as(Effect.ignore(wait), stores))
}
