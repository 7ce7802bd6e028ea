/** Effects that need no fiber: a caller may start them with a callback. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Effectable from "effect/Effectable"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Option from "effect/Option"

/** Receives the exit of an effect, at most once. */
export type Callback<A, E> = (exit: Exit.Exit<A, E>) => void

/** Stops an effect that has not completed. */
export type Cancel = () => void

/** Runs an effect that does need a fiber. */
export type Fork = <A, E>(effect: Effect.Effect<A, E>, callback: Callback<A, E>) => Cancel

/** An effect that needs no fiber. */
export class Direct<A, E> extends Effectable.Class<A, E> {
  /** Runs the effect without a fiber; `fork` is for what follows it and needs one. */
  readonly start: (callback: Callback<A, E>, fork: Fork) => Cancel
  /** The same effect, for a fiber. */
  readonly commit: () => Effect.Effect<A, E>

  constructor(start: Direct<A, E>["start"], commit: Direct<A, E>["commit"]) {
    super()
    this.start = start
    this.commit = commit
  }
}

/** An effect that completes synchronously. */
export const sync = <A, E = never>(evaluate: () => Exit.Exit<A, E>): Direct<A, E> =>
  new Direct<A, E>((callback) => {
    callback(attempt(evaluate))
    return nothing
  }, evaluate)

/** An effect that completes when `register` calls back. */
export const async = <A, E = never>(register: (callback: Callback<A, E>) => Cancel): Direct<A, E> =>
  new Direct<A, E>(
    (callback) => {
      try {
        return register(callback)
      } catch (defect) {
        callback(Exit.die(defect))
        return nothing
      }
    },
    () => Effect.async((resume) => Effect.sync(register(resume)))
  )

/** As `Effect.mapBoth`. */
export const mapBoth = <A, E, B, E2>(
  effect: Effect.Effect<A, E>,
  options: { readonly onFailure: (error: E) => E2; readonly onSuccess: (value: A) => B }
): Effect.Effect<B, E2> => {
  if (isExit(effect)) return attempt(() => Exit.mapBoth(effect, options))
  if (!isDirect(effect)) return Effect.mapBoth(effect, options)
  return new Direct<B, E2>(
    (callback, fork) =>
      effect.start((exit) => callback(attempt(() => Exit.mapBoth(exit, options))), fork),
    () => Effect.mapBoth(effect, options)
  )
}

/** As `Effect.map`. */
export const map = <A, E, B>(effect: Effect.Effect<A, E>, onSuccess: (value: A) => B) =>
  mapBoth(effect, { onFailure: identity<E>, onSuccess })

/** As `Effect.flatMap`. */
export const flatMap = <A, E, B, E2>(
  effect: Effect.Effect<A, E>,
  next: (value: A) => Effect.Effect<B, E2>
): Effect.Effect<B, E | E2> => {
  if (isExit(effect))
    return Exit.isSuccess(effect) ? attempt(() => next(effect.value)) : Exit.failCause(effect.cause)
  if (!isDirect(effect)) return Effect.flatMap(effect, next)
  return new Direct<B, E | E2>(
    (callback, fork) => {
      let following: Cancel | undefined
      const first = effect.start((exit) => {
        if (Exit.isFailure(exit)) callback(Exit.failCause(exit.cause))
        else following = start(() => next(exit.value), callback, fork)
      }, fork)
      return () => (following ?? first)()
    },
    () => Effect.flatMap(effect, next)
  )
}

/** Runs an effect: with a callback if it needs no fiber, or by `fork`. */
export const start = <A, E>(
  make: () => Effect.Effect<A, E>,
  callback: Callback<A, E>,
  fork: Fork
): Cancel => {
  const effect = attempt(make)
  if (isDirect(effect)) return effect.start(callback, fork)
  if (!isExit(effect)) return fork(effect, callback)
  callback(effect)
  return nothing
}

/** Whether an exit is a failure like this. */
export const isFailureWith = <A, E>(
  exit: Exit.Exit<A, E>,
  predicate: (failure: E) => boolean
): boolean => Exit.isFailure(exit) && Option.exists(Cause.failureOption(exit.cause), predicate)

const nothing: Cancel = () => {}

/** What a function throws is a defect. */
const attempt = <A>(evaluate: () => A): A | Exit.Exit<never> => {
  try {
    return evaluate()
  } catch (defect) {
    return Exit.die(defect)
  }
}

const isDirect = <A, E>(effect: Effect.Effect<A, E>): effect is Direct<A, E> =>
  effect instanceof Direct

/** Whether an effect has completed already. */
const isExit = <A, E>(effect: Effect.Effect<A, E>): effect is Exit.Exit<A, E> => Exit.isExit(effect)
