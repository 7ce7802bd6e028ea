/** How operations fail, and how long they take. */
import { Cause, Effect, Exit } from "effect"
import type pg from "pg"
import { expect } from "vitest"

/** Expects a StoreUnavailable of this reason, and no defect, within so many milliseconds. */
export const expectFailure = <A, E, R>(
  operation: Effect.Effect<A, E, R>,
  reason: unknown,
  within = 2000
) =>
  Effect.gen(function* () {
    const start = performance.now()
    const exit = yield* Effect.exit(operation)
    expect(performance.now() - start).toBeLessThan(within)
    if (Exit.isSuccess(exit)) throw new Error("it succeeded")
    expect([...Cause.defects(exit.cause)]).toEqual([])
    expect([...Cause.failures(exit.cause)]).toMatchObject([{ _tag: "StoreUnavailable", reason }])
    return [...Cause.failures(exit.cause)][0]
  })

/** The sessions of the stores in this database. */
export const ours =
  "FROM pg_stat_activity WHERE application_name = 'petstore' AND datname = current_database()"

/** Ends them. */
export const terminate = `SELECT pg_terminate_backend(pid) ${ours}`

/** Waits until a statement of the stores waits for a lock. */
export const untilBlocked = (other: pg.Client) =>
  Effect.promise(async () => {
    // Within a transaction the first answer is repeated otherwise.
    await other.query("SELECT pg_stat_clear_snapshot()")
    const { rows } = await other.query(`SELECT 1 ${ours} AND wait_event_type = 'Lock'`)
    return rows.length > 0
  }).pipe(Effect.delay("10 millis"), Effect.repeat({ until: (isBlocked) => isBlocked }))
