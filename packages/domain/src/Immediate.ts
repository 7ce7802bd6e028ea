/** Effects that complete synchronously; callers may evaluate them without a fiber. */
import * as Effect from "effect/Effect"
import * as Effectable from "effect/Effectable"
import * as Exit from "effect/Exit"

/** An effect that completes synchronously. */
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

/** The outcome of an effect that completes synchronously, which this runs; `undefined` for any other. */
export const evaluate = <A, E>(effect: Effect.Effect<A, E>): Exit.Exit<A, E> | undefined => {
  if (isImmediate(effect)) return effect.evaluate()
  return isExit(effect) ? effect : undefined
}

const isImmediate = <A, E>(effect: Effect.Effect<A, E>): effect is Immediate<A, E> =>
  effect instanceof Immediate

const isExit = <A, E>(effect: Effect.Effect<A, E>): effect is Exit.Exit<A, E> => Exit.isExit(effect)
