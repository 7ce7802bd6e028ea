/** Effects that complete synchronously; callers may evaluate them without a fiber. */
import * as Effect from "effect/Effect"
import * as Effectable from "effect/Effectable"
import * as Exit from "effect/Exit"

class Immediate<A, E> extends Effectable.Class<A, E> {
  readonly evaluate: () => Exit.Exit<A, E>

  constructor(evaluate: () => Exit.Exit<A, E>) {
    super()
    this.evaluate = evaluate
  }

  override commit(): Effect.Effect<A, E> {
    return this.evaluate()
  }
}

/** An effect that calls this function each time it is run. */
export const make = <A, E = never>(evaluate: () => Exit.Exit<A, E>): Effect.Effect<A, E> =>
  new Immediate(evaluate)

/** As `Effect.mapBoth`; an effect that completes synchronously stays one. */
export const mapBoth = <A, E, B, E2>(
  effect: Effect.Effect<A, E>,
  options: { readonly onFailure: (error: E) => E2; readonly onSuccess: (value: A) => B }
): Effect.Effect<B, E2> => {
  if (isImmediate(effect)) return make(() => Exit.mapBoth(effect.evaluate(), options))
  return isExit(effect) ? Exit.mapBoth(effect, options) : Effect.mapBoth(effect, options)
}

/** Runs an effect that completes synchronously; `undefined` for any other, which is not run. */
export const evaluate = <A, E>(effect: Effect.Effect<A, E>): Exit.Exit<A, E> | undefined => {
  if (isImmediate(effect)) return effect.evaluate()
  return isExit(effect) ? effect : undefined
}

const isImmediate = <A, E>(effect: Effect.Effect<A, E>): effect is Immediate<A, E> =>
  effect instanceof Immediate

const isExit = <A, E>(effect: Effect.Effect<A, E>): effect is Exit.Exit<A, E> => Exit.isExit(effect)
