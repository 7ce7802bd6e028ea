/** Going on at once where the outcome is known already, instead of asking a fiber to. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** Whether an effect is its own outcome, as `Effect.succeed` and `Effect.fail` are. */
export const isKnown = <A, E>(effect: Effect.Effect<A, E>): effect is Exit.Exit<A, E> =>
  Exit.isExit(effect)

/** As `Effect.flatMap`, here and now for an outcome that is known. */
export const flatMap = <A, E, B, E2>(
  effect: Effect.Effect<A, E>,
  next: (value: A) => Effect.Effect<B, E2>
): Effect.Effect<B, E | E2> => {
  if (!isKnown(effect)) return Effect.flatMap(effect, next)
  return Exit.isSuccess(effect) ? next(effect.value) : Exit.failCause(effect.cause)
}

/** As `Effect.mapBoth`, here and now for an outcome that is known, and in one step for any other. */
export const mapBoth = <A, E, B, E2>(
  effect: Effect.Effect<A, E>,
  onFailure: (error: E) => E2,
  onSuccess: (value: A) => B
): Effect.Effect<B, E2> =>
  isKnown(effect)
    ? Exit.mapBoth(effect, { onFailure, onSuccess })
    : Effect.matchEffect(effect, {
        onFailure: (error) => Effect.fail(onFailure(error)),
        onSuccess: (value) => Effect.succeed(onSuccess(value))
      })
