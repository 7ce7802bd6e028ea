/** Effects that never wait: a fiber runs them like any other, and whoever is in a hurry on the spot. */
import * as Effect from "effect/Effect"
import * as Effectable from "effect/Effectable"
import * as Exit from "effect/Exit"

/** An effect whose outcome can be had at once. */
export class Immediate<A, E> extends Effectable.Class<A, E> {
  /** Runs the effect, without a fiber. */
  readonly evaluate: () => Exit.Exit<A, E>

  constructor(evaluate: () => Exit.Exit<A, E>) {
    super()
    this.evaluate = evaluate
  }

  override commit(): Effect.Effect<A, E> {
    return this.evaluate()
  }
}

/** An effect that evaluates this whenever it is run. */
export const make = <A, E = never>(evaluate: () => Exit.Exit<A, E>): Effect.Effect<A, E> =>
  new Immediate(evaluate)

/** As `Effect.flatMap`, for what follows without waiting: an immediate effect stays one. */
export const andThen = <A, E, B, E2>(
  effect: Effect.Effect<A, E>,
  next: (value: A) => Exit.Exit<B, E2>
): Effect.Effect<B, E | E2> =>
  isImmediate(effect)
    ? new Immediate<B, E | E2>(() => Exit.flatMap(effect.evaluate(), next))
    : Effect.flatMap(effect, next)

/** As `Effect.mapBoth`: an immediate effect stays one. */
export const mapBoth = <A, E, B, E2>(
  effect: Effect.Effect<A, E>,
  onFailure: (error: E) => E2,
  onSuccess: (value: A) => B
): Effect.Effect<B, E2> =>
  isImmediate(effect)
    ? new Immediate(() => Exit.mapBoth(effect.evaluate(), { onFailure, onSuccess }))
    : isExit(effect)
      ? Exit.mapBoth(effect, { onFailure, onSuccess })
      : Effect.matchEffect(effect, {
          onFailure: (error) => Effect.fail(onFailure(error)),
          onSuccess: (value) => Effect.succeed(onSuccess(value))
        })

/** Runs an effect that never waits, and tells its outcome; any other is left alone. */
export const evaluate = <A, E>(effect: Effect.Effect<A, E>): Exit.Exit<A, E> | undefined => {
  if (isImmediate(effect)) return effect.evaluate()
  return isExit(effect) ? effect : undefined
}

const isImmediate = <A, E>(effect: Effect.Effect<A, E>): effect is Immediate<A, E> =>
  effect instanceof Immediate

const isExit = <A, E>(effect: Effect.Effect<A, E>): effect is Exit.Exit<A, E> => Exit.isExit(effect)
