import { describe, expect, it } from "@effect/vitest"
import { lifetime, make } from "@petstore/domain/Idempotency"
import { CategoryId, type NewPet, PetName } from "@petstore/domain/Pet"
import { PageLimit } from "@petstore/domain/PetPage"
import { PetStore } from "@petstore/domain/PetStore"
import * as MemoryPetStore from "@petstore/store-memory/MemoryPetStore"
import { suite } from "@petstore/store-testkit/vitest"
import { Effect } from "effect"

suite("MemoryPetStore", MemoryPetStore.layer)

const rex: NewPet = {
  status: "sold",
  categoryId: CategoryId.make(7n),
  name: PetName.make("Rex")
}

describe("MemoryPetStore", () => {
  it.effect("numbers pets from one, without a gap", () =>
    Effect.gen(function* () {
      const store = yield* PetStore
      const pets = yield* Effect.replicateEffect(store.add(rex), 3)
      expect(pets.map((pet) => pet.id)).toEqual([1n, 2n, 3n])
    }).pipe(Effect.provide(MemoryPetStore.layer))
  )

  it.effect("is another store each time its layer is built", () =>
    Effect.gen(function* () {
      const add = Effect.flatMap(PetStore, (store) => store.add(rex))
      const list = Effect.flatMap(PetStore, (store) => store.list({ limit: PageLimit.make(1) }))
      yield* Effect.provide(add, MemoryPetStore.layer)
      const { pets } = yield* Effect.provide(list, MemoryPetStore.layer)
      expect(pets).toEqual([])
    })
  )

  it.effect("returns frozen pets with their fields in order", () =>
    Effect.gen(function* () {
      const store = yield* MemoryPetStore.make
      const pet = yield* store.add(rex)
      expect(Object.keys(pet)).toEqual(["id", "name", "categoryId", "status"])
      expect(Object.isFrozen(pet)).toBe(true)
    })
  )

  it.effect(
    "forgets two expired keys for each new one, the oldest first, even if one is used again",
    () =>
      Effect.gen(function* () {
        const { content, store } = MemoryPetStore.open()
        for (const [at, key] of ["a", "b", "c", "d"].entries())
          yield* store.addOnce(rex, make(key, at))
        const before = content()
        yield* store.addOnce(rex, make("a", lifetime + 3))
        expect(content().used.map(({ key }) => key)).toEqual(["d", "a"])
        yield* store.addOnce(rex, make("e", lifetime + 3))
        expect(content().used.map(({ key }) => key)).toEqual(["a", "e"])
        // What was read before does not change.
        expect([before.pets.length, before.used.length]).toEqual([4, 4])
      })
  )
})
