/** Waits for what happens elsewhere. */
import { setTimeout as pause } from "node:timers/promises"
import * as Effect from "effect/Effect"

export { pause }

/** Asks again and again until this holds: whether it does in time. */
export const holds = (
  condition: () => boolean | Promise<boolean>,
  millis = Number.POSITIVE_INFINITY
): Effect.Effect<boolean> =>
  Effect.promise(async (signal) => {
    for (const end = performance.now() + millis; !(await condition()); await pause(10)) {
      if (performance.now() > end || signal.aborted) return false
    }
    return true
  })
