/** Waits at the start for a database on a server that does not answer yet, such as at boot. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { type Database, isDurable, type Options } from "./Database.ts"

const interval = "500 millis"

/** The stores of a database, which may take this long to answer. What is wrong for good fails at once. */
export const layer = (database: Database, timeout: Duration.Duration, options: Options) => {
  const stores = database.layer(options)
  if (!isDurable(database) || Duration.toMillis(timeout) === 0) return stores
  const { explain, mayAppear = () => false } = database
  const again = Layer.retry(
    stores,
    Schedule.spaced(interval).pipe(Schedule.upTo(timeout), Schedule.whileInput(mayAppear))
  )
  const seconds = Duration.toSeconds(timeout)
  // Logs once that it waits.
  return Layer.catchAll(stores, (error) =>
    mayAppear(error)
      ? Effect.logWarning(
          `waiting for the database, for up to ${seconds} s: ${explain(error)}`
        ).pipe(Effect.as(again), Layer.unwrapEffect)
      : Layer.fail(error)
  )
}
