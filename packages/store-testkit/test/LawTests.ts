/** Tests of the laws: each must notice a store that is wrong, and one that does not answer. */
import { describe, expect, it } from "@effect/vitest"
import type { Law, Place } from "@petstore/store-testkit/Law"
import { Clock, Duration, Effect } from "effect"

/** A store that is wrong in one way, and the law that must notice. */
export interface Wrong<Store> {
  readonly law: Law<Store>
  readonly how: string
  readonly place: Place<Store>
}

/** Wrong stores that are the right one, which `make` makes, with some operations replaced. */
export const wrongOf =
  <Port, Store, State>(
    placeOf: (open: (state: State) => Store) => Place<Port>,
    make: (state: State) => Store
  ) =>
  (
    law: Law<Port>,
    how: string,
    change: (right: Store, state: State) => Partial<Store>
  ): Wrong<Port> => ({
    law,
    how,
    place: placeOf((state) => {
      const right = make(state)
      return { ...right, ...change(right, state) }
    })
  })

/** Time that passes a thousand times as fast, for laws that wait for answers. */
const live = Clock.make()
const fast: Clock.Clock = Object.create(live, {
  sleep: { value: (time: Duration.Duration) => live.sleep(Duration.times(time, 0.001)) }
})

/** Tests the laws: each must be broken by at least one of the wrong stores. */
export const testLaws = <Store>(options: {
  readonly laws: ReadonlyArray<Law<Store>>
  readonly wrongStores: ReadonlyArray<Wrong<Store>>
  /** A store whose operations all fail with this. */
  readonly failing: { readonly place: Place<Store>; readonly failure: Error }
  /** One that dies with this when it is opened. */
  readonly dying: { readonly place: Place<Store>; readonly message: string }
}): void => {
  const { dying, failing, laws, wrongStores } = options

  describe("a wrong store", () => {
    for (const { how, law, place } of wrongStores) {
      it.live(`that ${how} breaks: ${law.name}`, () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(Effect.withClock(law.check(place), fast))
          expect(error.law).toBe(law.name)
          // Noticed by a wrong answer, not by a failure.
          expect(error.cause.cause).toBeUndefined()
        })
      )
    }

    it("is there for every law", () => {
      const namesOf = (all: ReadonlyArray<Law<Store>>) => all.map((law) => law.name).toSorted()
      const noticed = new Set(wrongStores.map((store) => store.law))
      expect(namesOf([...noticed])).toEqual(namesOf(laws))
    })
  })

  describe("a store that does not answer", () => {
    for (const law of laws) {
      it.live(`breaks by failing: ${law.name}`, () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(law.check(failing.place))
          expect(error.message).toContain(failing.failure.message)
          expect(error.cause.cause).toBe(failing.failure)
        })
      )

      it.live(`breaks by dying: ${law.name}`, () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(law.check(dying.place))
          expect(error.message).toContain(dying.message)
        })
      )
    }
  })
}
