import { describe, expect, it } from "@effect/vitest"
import { lifetime } from "@petstore/domain/Idempotency"
import { CategoryId, PetId, PetName } from "@petstore/domain/Pet"
import { PetStore, writes } from "@petstore/domain/PetStore"
import * as Pets from "@petstore/domain/Pets"
import * as Direct from "@petstore/kernel/Direct"
import * as Port from "@petstore/kernel/Port"
import { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { Effect, Exit, Layer, Stream, TestClock } from "effect"

const pet = { name: PetName.make("Rex"), categoryId: CategoryId.make(1n) }
const kept = { id: PetId.make(7n), ...pet }

/** The use cases on a store that is busy but for these methods. */
const on = (methods: Partial<PetStore["Type"]>) => {
  const busy = Port.make<PetStore["Type"]>(writes, () => new StoreUnavailable({ reason: "busy" }))
  const store = Layer.succeed(PetStore, { ...busy, ...methods })
  return Effect.provide(Pets.Pets, Layer.provide(Pets.layer, store))
}

describe("Pets", () => {
  it.effect("fail as the store does", () =>
    Effect.gen(function* () {
      const pets = yield* on({})
      const failures = yield* Effect.all([
        Effect.flip(pets.add(pet)),
        Effect.flip(pets.add(pet, "key")),
        Effect.flip(pets.get(kept.id)),
        Effect.flip(pets.import(Stream.empty))
      ])
      for (const failure of failures) expect(failure).toMatchObject({ reason: "busy" })
    })
  )

  it.effect("are added with or without a key, which expires a day after it is used", () =>
    Effect.gen(function* () {
      const given: Array<unknown> = []
      const pets = yield* on({
        add: () => Effect.succeed(kept),
        addOnce: (_, once) => {
          given.push(once)
          return Effect.succeed({ pet: kept, isRepeat: true })
        }
      })
      expect(yield* pets.add(pet)).toEqual({ pet: kept, isRepeat: false })
      // Any text is a key, and an add that is tried again has the time of that try.
      const add = pets.add(pet, "")
      for (const after of [5, 6]) {
        yield* TestClock.setTime(lifetime + after)
        expect(yield* add).toEqual({ pet: kept, isRepeat: true })
      }
      expect(given).toEqual([
        { key: "", at: 86_400_005, expiredUpTo: 5 },
        { key: "", at: 86_400_006, expiredUpTo: 6 }
      ])
    })
  )

  it("need no fiber if the store needs none", () => {
    const { add } = Effect.runSync(
      on({
        add: () => Effect.succeed(kept),
        addOnce: () => Effect.succeed({ pet: kept, isRepeat: true })
      })
    )
    for (const key of [undefined, "key"])
      Direct.start(
        () => add(pet, key),
        (exit) => expect(Exit.isSuccess(exit)).toBe(true),
        () => expect.fail("it needs a fiber")
      )
  })

  it.effect("are refused with a key that was used for another one", () =>
    Effect.gen(function* () {
      const other = { ...kept, name: PetName.make("Tom") }
      const pets = yield* on({ addOnce: () => Effect.succeed({ pet: other, isRepeat: true }) })
      expect(String(yield* Effect.flip(pets.add(pet, "key")))).toBe(
        "IdempotencyRefused: the idempotency key was used for another pet"
      )
    })
  )
})
