/** A connection to a database, as another program would have, and what it sees of the program's own. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import pg from "pg"

/** A connection, closed with the scope. */
export const connect = (url: string): Effect.Effect<pg.Client, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new pg.Client(url)
      client.on("error", () => {})
      await client.connect()
      return client
    }),
    (client) => Effect.promise(() => client.end())
  )

/** The sessions of the stores in this database. */
export const ours =
  "FROM pg_stat_activity WHERE application_name = 'petstore' AND datname = current_database()"

/** Ends them. */
export const terminate = `SELECT pg_terminate_backend(pid) ${ours}`

/** Waits until a statement of the stores waits for a lock. */
export const untilBlocked = (other: pg.Client): Effect.Effect<boolean> =>
  Effect.promise(async () => {
    // Within a transaction the first answer is repeated otherwise.
    await other.query("SELECT pg_stat_clear_snapshot()")
    const { rows } = await other.query(`SELECT 1 ${ours} AND wait_event_type = 'Lock'`)
    return rows.length > 0
  }).pipe(Effect.delay("10 millis"), Effect.repeat({ until: (isBlocked) => isBlocked }))
