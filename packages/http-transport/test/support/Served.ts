/** Tests of the fixture on a server of their own. */
import { scoped, scopedLive } from "@effect/vitest"
import type { HttpListener } from "@petstore/http-transport/HttpListener"
import type { ListenFailed } from "@petstore/http-transport/NodeServer"
import { Effect, type Layer, type Scope } from "effect"
import type { YieldWrap } from "effect/Utils"
import * as Harness from "./Harness.ts"
import { gated } from "./Stopping.ts"
import type { Shelf } from "./Things.ts"

type Step<R> = YieldWrap<Effect.Effect<unknown, unknown, R>>

/** A test whose steps are effects, as those of `Effect.gen`. */
export type Test<R> = () => Generator<Step<R | Scope.Scope>, void, never>

/** A test without a server. */
export const live = (behaviour: string, test: Test<never>): void =>
  scopedLive(behaviour, () => Effect.gen(test))

/** Tests on a server that this makes of its options, in real time or on the test's clock. */
export const testers = <Options, R>(
  layerOf: (options?: Options) => Layer.Layer<R, ListenFailed>
) => ({
  served:
    (options?: Options) =>
    (behaviour: string, test: Test<R>): void =>
      scopedLive(behaviour, () => Effect.gen(test).pipe(Effect.provide(layerOf(options)))),
  clocked:
    (options?: Options) =>
    (behaviour: string, test: Test<R>): void =>
      scoped(behaviour, () => Effect.gen(test).pipe(Effect.provide(layerOf(options))))
})

/** A server that closes at once what a test has left open. */
const layerOf = (options: Harness.Options = {}) =>
  Harness.layer({ ...options, listener: { drainTimeout: 0, ...options.listener } })

export const { clocked, served } = testers(layerOf)

/** A test on a server with handlers that wait until the test opens a gate. */
export const withGate =
  (options: Harness.Options = {}) =>
  (
    behaviour: string,
    test: (gate: Effect.Effect.Success<typeof gated>) => ReturnType<Test<HttpListener | Shelf>>
  ): void =>
    live(behaviour, function* () {
      const gate = yield* gated
      const server = layerOf({ ...options, shelf: gate.shelf })
      yield* Effect.gen(() => test(gate)).pipe(Effect.provide(server))
    })
