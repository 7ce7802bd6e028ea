/** Going on at once where the outcome can be had at once, instead of asking a fiber to. */
import * as Immediate from "@petstore/domain/Immediate"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** As `Effect.flatMap`, here and now for an effect that never waits. */
export const flatMap = <A, E, B, E2>(
  effect: Effect.Effect<A, E>,
  next: (value: A) => Effect.Effect<B, E2>
): Effect.Effect<B, E | E2> => {
  const exit = Immediate.evaluate(effect)
  if (exit === undefined) return Effect.flatMap(effect, next)
  return Exit.isSuccess(exit) ? next(exit.value) : Exit.failCause(exit.cause)
}

/** As `Effect.mapBoth`, here and now for an effect that never waits. */
export const mapBoth = <A, E, B, E2>(
  effect: Effect.Effect<A, E>,
  onFailure: (error: E) => E2,
  onSuccess: (value: A) => B
): Effect.Effect<B, E2> => {
  const exit = Immediate.evaluate(effect)
  if (exit !== undefined) return Exit.mapBoth(exit, { onFailure, onSuccess })
  return Effect.matchEffect(effect, {
    onFailure: (error) => Effect.fail(onFailure(error)),
    onSuccess: (value) => Effect.succeed(onSuccess(value))
  })
}
