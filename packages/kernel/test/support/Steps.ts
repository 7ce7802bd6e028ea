/** Tests whose bodies are generators of effects. */
import { it } from "@effect/vitest"
import { Effect, type Utils } from "effect"

type Steps = () => Generator<Utils.YieldWrap<Effect.Effect<unknown, unknown>>, void, never>

/** A test on the real clock. */
export const live = (name: string, steps: Steps) => it.live(name, () => Effect.gen(steps))

/** A test on a clock of its own. */
export const effect = (name: string, steps: Steps) => it.effect(name, () => Effect.gen(steps))
