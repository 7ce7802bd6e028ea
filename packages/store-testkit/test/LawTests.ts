/** Laws on trial: each has to notice a store that is wrong, and one that does not answer. */
import { describe, expect, it, vi } from "@effect/vitest"
import type { Law, LawBroken, Place } from "@petstore/store-testkit/Law"
import { Effect } from "effect"

/** A store that is wrong in one way, and the law that is to notice. */
export interface Wrong<Store> {
  readonly law: string
  readonly how: string
  readonly place: Place<Store>
}

/** Finding the shortest way to break a law takes its time on a busy machine. */
vi.setConfig({ testTimeout: 60_000 })

/** How the law of this name is broken, if it is. */
export const broken = <Store>(
  laws: ReadonlyArray<Law<Store>>,
  name: string,
  place: Place<Store>
): Effect.Effect<LawBroken, void> =>
  Effect.fromNullable(laws.find((law) => law.name === name)).pipe(
    Effect.orDie,
    Effect.flatMap((law) => Effect.flip(law.check(place)))
  )

/** Puts the laws on trial: every one of them is to be broken by one of the wrong stores, at least. */
export const tryLaws = <Store>(options: {
  readonly laws: ReadonlyArray<Law<Store>>
  readonly wrongStores: ReadonlyArray<Wrong<Store>>
  /** A store that fails with this whatever it is asked. */
  readonly failing: { readonly place: Place<Store>; readonly failure: Error }
  /** One that dies with this when it is opened. */
  readonly dying: { readonly place: Place<Store>; readonly message: string }
}): void => {
  const { dying, failing, laws, wrongStores } = options

  describe("a wrong store", () => {
    for (const { how, law, place } of wrongStores) {
      it.live(`that ${how} breaks: ${law}`, () =>
        Effect.gen(function* () {
          const error = yield* broken(laws, law, place)
          expect(error.law).toBe(law)
          // Noticed by a wrong answer, not by tripping over it.
          expect(error.cause.cause).toBeUndefined()
        })
      )
    }

    it("is there for every law", () => {
      const noticed = new Set(wrongStores.map((store) => store.law))
      expect(laws.map((law) => law.name).filter((name) => !noticed.has(name))).toEqual([])
    })
  })

  describe("a store that does not answer", () => {
    for (const { name } of laws) {
      it.live(`breaks by failing: ${name}`, () =>
        Effect.gen(function* () {
          const error = yield* broken(laws, name, failing.place)
          expect(error.message).toContain(failing.failure.message)
          expect(error.cause.cause).toBe(failing.failure)
        })
      )

      it.live(`breaks by dying: ${name}`, () =>
        Effect.gen(function* () {
          const error = yield* broken(laws, name, dying.place)
          expect(error.message).toContain(dying.message)
        })
      )
    }
  })
}
