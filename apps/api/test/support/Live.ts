/** Tests whose bodies are generators of effects, on the real clock, each with a scope of its own. */
import { it } from "@effect/vitest"
import { Effect, type Scope, type Utils } from "effect"

/** What a test does. */
export type Steps<R = never> = Generator<
  Utils.YieldWrap<Effect.Effect<unknown, unknown, Scope.Scope | R>>,
  unknown,
  never
>

const one = (name: string, steps: () => Steps) => it.scopedLive(name, () => Effect.gen(steps))

/** A test, or one for each of these cases. */
export const live = Object.assign(one, {
  each:
    <const Case>(cases: ReadonlyArray<Case>) =>
    (name: string, steps: (given: Case) => Steps) =>
      it.scopedLive.each([...cases])(name, (given) => Effect.gen(() => steps(given)))
})
