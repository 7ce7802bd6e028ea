/** Going on at once where the outcome can be had at once, instead of asking a fiber to. */
import * as Immediate from "@petstore/domain/Immediate"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** As `Effect.flatMap`, but an effect that never waits is run here and now, once. */
export const flatMap = <A, E, B, E2>(
  effect: Effect.Effect<A, E>,
  next: (value: A) => Effect.Effect<B, E2>
): Effect.Effect<B, E | E2> => {
  const exit = Immediate.evaluate(effect)
  if (exit === undefined) return Effect.flatMap(effect, next)
  return Exit.isSuccess(exit) ? next(exit.value) : Exit.failCause(exit.cause)
}
