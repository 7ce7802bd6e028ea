/** Closing a store while callers use it. */
import { PetStore } from "@petstore/domain/PetStore"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"

/** How many adds must have succeeded before the store closes. */
const enough = 20

/** Closes the store once its callers have acknowledged this many adds, and then interrupts them. */
export const closeDuring = <A, E, E2>(
  layer: Layer.Layer<PetStore, E>,
  callers: (acknowledge: Effect.Effect<void>) => Effect.Effect<A, E2, PetStore>
): Effect.Effect<void, E | E2, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.acquireRelease(Scope.make(), (scope) =>
      Scope.close(scope, Exit.void)
    )
    const store = Context.get(yield* Layer.buildWithScope(layer, scope), PetStore)
    const isEnough = yield* Deferred.make<void>()
    let count = 0
    const acknowledge = Effect.suspend(() =>
      ++count < enough ? Effect.void : Effect.asVoid(Deferred.succeed(isEnough, undefined))
    )
    const calling = yield* callers(acknowledge).pipe(
      Effect.provideService(PetStore, store),
      Effect.forkScoped
    )
    yield* Effect.raceFirst(Deferred.await(isEnough), Fiber.join(calling))
    yield* Scope.close(scope, Exit.void)
    yield* Fiber.interrupt(calling)
  })
