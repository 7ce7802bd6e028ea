/** The rules of use cases, on the memory store. */
import { expect, it } from "@effect/vitest"
import { CategoryId, PetName } from "@petstore/domain/Pet"
import * as Pets from "@petstore/domain/Pets"
import * as MemoryPetStore from "@petstore/store-memory/MemoryPetStore"
import { Effect, Layer } from "effect"

const pet = (name: string) => ({ name: PetName.make(name), categoryId: CategoryId.make(1n) })
const layer = Layer.provide(Pets.layer, MemoryPetStore.layer)

it.effect("a key adds one pet, and is refused for another one", () =>
  Effect.gen(function* () {
    const pets = yield* Pets.Pets
    const { pet: rex } = yield* pets.add(pet("Rex"), "key")
    expect(yield* pets.add(pet("Rex"), "key")).toEqual({ pet: rex, isRepeat: true })
    expect((yield* Effect.flip(pets.add(pet("Tom"), "key")))._tag).toBe("IdempotencyRefused")
  }).pipe(Effect.provide(layer))
)
