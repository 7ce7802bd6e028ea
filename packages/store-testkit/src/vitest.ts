/** The laws as vitest suites. */
import { afterAll, describe, it } from "@effect/vitest"
import type { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import type { PetStore } from "@petstore/domain/PetStore"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as KeyLaws from "./KeyLaws.ts"
import type { Law, Place } from "./Law.ts"
import { durableLaws, laws, sharedLaws } from "./Laws.ts"

/** How a suite is run. */
export interface Options {
  /** After how many milliseconds a law fails because the store hangs; 180,000 by default, enough for a slow disk and a busy machine. */
  readonly timeout?: number
  /**
   * Whether the store can be open only once at a time, for example because it locks its files. The laws that open it
   * twice are then skipped: test with a process that you kill that a store that was not closed has lost nothing.
   */
  readonly isExclusive?: boolean
}

/** One test for each law of a store that is empty whenever its layer is built, one after another. */
export const suite = (
  name: string,
  layer: Layer.Layer<PetStore, unknown>,
  options?: Options
): void => register(name, laws, Effect.succeed(layer), options, describe)

/**
 * One test for each law of a durable store; each run of `place` makes a new, empty one. Several laws run at once, as
 * many as vitest's `maxConcurrency` says.
 */
export const durableSuite = (name: string, place: Place, options?: Options): void =>
  lawSuite(name, [...laws, ...durableLaws], place, options)

/** As {@link durableSuite}, for a store that several processes open at once. */
export const sharedSuite = (name: string, place: Place, options?: Options): void =>
  lawSuite(name, [...laws, ...durableLaws, ...sharedLaws], place, options)

/** As {@link suite}, for a store of keys. */
export const keySuite = (
  name: string,
  layer: Layer.Layer<ApiKeyStore, unknown>,
  options?: Options
): void => register(name, KeyLaws.laws, Effect.succeed(layer), options, describe)

/** As {@link durableSuite}, for a store of keys. */
export const durableKeySuite = (name: string, place: Place<ApiKeyStore>, options?: Options): void =>
  lawSuite(name, [...KeyLaws.laws, ...KeyLaws.durableLaws], place, options)

/** As {@link durableSuite}, with laws of one's own, for a store of anything. */
export const lawSuite = <Store>(
  name: string,
  laws: ReadonlyArray<Law<Store>>,
  place: Place<Store>,
  options?: Options
): void => register(name, laws, place, options, describe.concurrent)

const register = <Store>(
  name: string,
  laws: ReadonlyArray<Law<Store>>,
  place: Place<Store>,
  { isExclusive = false, timeout = 180_000 }: Options = {},
  group: (name: string, tests: () => void) => void
): void => {
  group(name, () => {
    const broken = new Set<Law<Store>>()
    for (const law of laws) {
      const check = Effect.onError(law.check(place), () => Effect.sync(() => broken.add(law)))
      // Live: a store may wait for threads and sockets, which do not use the test clock.
      it.live.skipIf(isExclusive && law.opensTwice)(law.name, () => check, timeout)
    }
    afterAll(() => {
      const [first, ...others] = laws.filter((law) => broken.has(law))
      if (first !== undefined && others.length > 0)
        process.stderr.write(advice(name, first, others))
    })
  })
}

/** Laws are listed from simple to complex. */
const advice = <Store>(name: string, first: Law<Store>, others: ReadonlyArray<Law<Store>>) =>
  `\n${name} breaks ${others.length + 1} laws. Read this one first, as one mistake may break several:\n  ${first.name}\n`
