import { describe, expect, it } from "@effect/vitest"
import { type Pet, PetId, Pet as PetSchema } from "@petstore/domain/Pet"
import { PageLimit } from "@petstore/domain/PetPage"
import { PetNotFound, PetStore } from "@petstore/domain/PetStore"
import * as Pets from "@petstore/domain/Pets"
import { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import { Effect, Layer, Option, Schema, Stream } from "effect"

const rex: Pet = Schema.decodeSync(PetSchema)({ id: 7, name: "Rex", categoryId: 1 })
const asked: Array<unknown> = []

const store = Layer.succeed(
  PetStore,
  PetStore.of({
    add: (pet) => Effect.sync(() => ({ ...pet, id: rex.id, asked: asked.push(pet) })),
    addOnce: (pet, once) => Effect.sync(() => ({ ...pet, id: rex.id, asked: asked.push(once) })),
    addAll: (pets) => Stream.runFold(pets, 0, (_, arrival) => asked.push(arrival)),
    get: (id) => (id === rex.id ? Effect.succeed(rex) : new PetNotFound({ id })),
    list: (query) =>
      Effect.sync(() => ({ pets: [rex], next: Option.none(), asked: asked.push(query) }))
  })
)

describe("Pets", () => {
  it.effect("gives the pet that the store has", () =>
    Effect.gen(function* () {
      expect(yield* Effect.flatMap(Pets.Pets, (pets) => pets.get(rex.id))).toBe(rex)
    }).pipe(Effect.provide(Layer.provide(Pets.layer, store)))
  )

  it.effect("fails when the store does not have the pet", () =>
    Effect.gen(function* () {
      const pets = yield* Pets.Pets
      const error = yield* Effect.flip(pets.get(PetId.make(8n)))
      expect(error).toMatchObject({ _tag: "PetNotFound", id: 8n, message: "there is no pet 8" })
    }).pipe(Effect.provide(Layer.provide(Pets.layer, store)))
  )

  it.effect("hands lists and additions to the store as they are", () =>
    Effect.gen(function* () {
      const pets = yield* Pets.Pets
      const query = { limit: PageLimit.make(3), status: "sold" as const }
      expect((yield* pets.list(query)).pets).toEqual([rex])
      expect((yield* pets.add(rex)).id).toBe(7n)
      const arrival = { place: 1, pet: rex }
      expect(yield* pets.addAll(Stream.make(arrival))).toBe(3)
      const once = { key: "key", at: 5 }
      expect((yield* pets.addOnce(rex, once)).id).toBe(7n)
      expect(asked).toEqual([query, rex, arrival, once])
    }).pipe(Effect.provide(Layer.provide(Pets.layer, store)))
  )

  it.effect("passes on that the store is unavailable", () =>
    Effect.gen(function* () {
      const pets = yield* Pets.Pets
      const error = yield* Effect.flip(pets.get(rex.id))
      expect(error).toMatchObject({ _tag: "StoreUnavailable", message: "the store is busy" })
    }).pipe(
      Effect.provide(
        Layer.provide(
          Pets.layer,
          Layer.succeed(PetStore, {
            add: () => Effect.fail(new StoreUnavailable({ reason: "busy" })),
            addOnce: () => Effect.fail(new StoreUnavailable({ reason: "busy" })),
            addAll: () => Effect.fail(new StoreUnavailable({ reason: "busy" })),
            get: () => Effect.fail(new StoreUnavailable({ reason: "busy" })),
            list: () => Effect.fail(new StoreUnavailable({ reason: "busy" }))
          })
        )
      )
    )
  )
})
