import { describe, expect, it, vi } from "@effect/vitest"
import { PetStore, StoreUnavailable } from "@petstore/domain/PetStore"
import type { Place } from "@petstore/store-testkit/Law"
import { durableLaws, laws } from "@petstore/store-testkit/Laws"
import { Effect, Layer } from "effect"
import { wrongAtConcurrency } from "./wrongAtConcurrency.ts"
import { wrongAtDurability } from "./wrongAtDurability.ts"
import { wrongAtKeeping } from "./wrongAtKeeping.ts"
import { wrongAtPaging } from "./wrongAtPaging.ts"

const allLaws = [...laws, ...durableLaws]
const wrongStores = [
  ...wrongAtKeeping,
  ...wrongAtPaging,
  ...wrongAtConcurrency,
  ...wrongAtDurability
]

/** Finding the shortest way to break a law takes its time on a busy machine. */
vi.setConfig({ testTimeout: 60_000 })

/** How the law of this name is broken, if it is. */
const broken = (name: string, place: Place) =>
  Effect.fromNullable(allLaws.find((law) => law.name === name)).pipe(
    Effect.orDie,
    Effect.flatMap((law) => Effect.flip(law.check(place)))
  )

describe("a wrong store", () => {
  for (const { how, law, place } of wrongStores) {
    it.live(`that ${how} breaks: ${law}`, () =>
      Effect.gen(function* () {
        const error = yield* broken(law, place)
        expect(error.law).toBe(law)
        // Noticed by a wrong answer, not by tripping over it.
        expect(error.cause.cause).toBeUndefined()
      })
    )
  }

  it("is there for every law", () => {
    const noticed = new Set(wrongStores.map((store) => store.law))
    expect(allLaws.map((law) => law.name).filter((name) => !noticed.has(name))).toEqual([])
  })
})

describe("a store that does not answer", () => {
  for (const { name } of allLaws) {
    it.live(`breaks by failing: ${name}`, () =>
      Effect.gen(function* () {
        const failure = new StoreUnavailable({ reason: "busy" })
        const fail = () => Effect.fail(failure)
        const layer = Layer.succeed(PetStore, { add: fail, get: fail, list: fail })
        const error = yield* broken(name, Effect.succeed(layer))
        expect(error.message).toContain("the store is busy")
        expect(error.cause.cause).toBe(failure)
      })
    )

    it.live(`breaks by dying: ${name}`, () =>
      Effect.gen(function* () {
        const layer = Layer.effect(PetStore, Effect.dieMessage("no such disk"))
        const error = yield* broken(name, Effect.succeed(layer))
        expect(error.message).toContain("no such disk")
      })
    )
  }
})

describe("a broken law", () => {
  const store = wrongStores.find((store) => store.how === "cannot count to four")

  it.live("tells the shortest way there", () =>
    Effect.gen(function* () {
      const { law, place } = yield* Effect.orDie(Effect.fromNullable(store))
      const error = yield* broken(law, place)
      expect(error.message).toBe(
        'the law "random operations are answered as by a plain array" is broken: ' +
          '{"add":{"name":"0","categoryId":0n,"status":"sold"}} then ' +
          '{"list":{"limit":4,"status":"sold","after":undefined}}: the answer.pets[0]: ' +
          'expected {"id":"-2n","name":"0","categoryId":"0n","status":"sold"}, got "nothing"'
      )
    })
  )
})
