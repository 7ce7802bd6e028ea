/** The laws as vitest suites. */
import { describe, it } from "@effect/vitest"
import type { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import type { PetStore } from "@petstore/domain/PetStore"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as KeyLaws from "./KeyLaws.ts"
import type { Law, Place } from "./Law.ts"
import { durableLaws, laws, sharedLaws } from "./Laws.ts"

/** One test for each law of a store that is empty whenever its layer is built, one after another. */
export const suite = (name: string, layer: Layer.Layer<PetStore, unknown>): void =>
  register(name, laws, Effect.succeed(layer), describe)

/**
 * One test for each law of a durable store; each run of `place` makes a new, empty one. Several laws run at once, as
 * many as vitest's `maxConcurrency` says.
 */
export const durableSuite = (name: string, place: Place): void =>
  register(name, [...laws, ...durableLaws], place)

/** As {@link durableSuite}, for a store that several processes open at once. */
export const sharedSuite = (name: string, place: Place): void =>
  register(name, [...laws, ...durableLaws, ...sharedLaws], place)

/** As {@link suite}, for a store of keys. */
export const keySuite = (name: string, layer: Layer.Layer<ApiKeyStore, unknown>): void =>
  register(name, KeyLaws.laws, Effect.succeed(layer), describe)

/** As {@link durableSuite}, for a store of keys. */
export const durableKeySuite = (name: string, place: Place<ApiKeyStore>): void =>
  register(name, [...KeyLaws.laws, ...KeyLaws.durableLaws], place)

/** Enough for a store on a slow disk; a store that takes longer hangs. */
const timeout = 60_000

const register = <Store>(
  name: string,
  laws: ReadonlyArray<Law<Store>>,
  place: Place<Store>,
  group: (name: string, tests: () => void) => void = describe.concurrent
): void => {
  group(name, () => {
    // Live: a store may wait for threads and sockets, which do not use the test clock.
    for (const law of laws) it.live(law.name, () => law.check(place), timeout)
  })
}
