/** Detects that the service has more to do than it can do in time. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

const intervalMillis = 100

/** Whether the event loop was blocked for longer than this when it was last measured. */
export const eventLoopIsLate = (
  limitMillis: number
): Effect.Effect<() => boolean, never, Scope.Scope> => {
  if (limitMillis === Number.POSITIVE_INFINITY) return Effect.succeed(() => false)
  let expected = performance.now() + intervalMillis
  let isLate = false
  const measure = () => {
    const now = performance.now()
    isLate = now - expected > limitMillis
    expected = now + intervalMillis
  }
  return Effect.acquireRelease(
    Effect.sync(() => setInterval(measure, intervalMillis)),
    (timer) => Effect.sync(() => clearInterval(timer))
  ).pipe(Effect.as(() => isLate || performance.now() - expected > limitMillis))
}
