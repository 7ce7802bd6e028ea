/** Waits for what happens elsewhere. */
import { setTimeout as pause } from "node:timers/promises"
import * as Effect from "effect/Effect"

export { pause }

/** What is waited for. */
export type Condition = () => boolean | Promise<boolean>

const everyMillis = 10

/** Asks again and again until this holds: whether it does in time. */
export const until = async (
  condition: Condition,
  millis = Number.POSITIVE_INFINITY,
  signal?: AbortSignal
): Promise<boolean> => {
  for (const end = performance.now() + millis; !(await condition()); await pause(everyMillis)) {
    if (performance.now() > end || signal?.aborted === true) return false
  }
  return true
}

/** The same, until it is interrupted. */
export const holds = (condition: Condition, millis?: number): Effect.Effect<boolean> =>
  Effect.promise((signal) => until(condition, millis, signal))
