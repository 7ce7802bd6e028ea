/** How operations fail, and how long they take. */
import { Cause, Effect, Exit } from "effect"
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
