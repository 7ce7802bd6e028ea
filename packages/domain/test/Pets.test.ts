import { describe, expect, it } from "@effect/vitest"
import { CategoryId, PetId, PetName } from "@petstore/domain/Pet"
import { defaultLimit } from "@petstore/domain/PetPage"
import { PetNotFound, PetStore, writes } from "@petstore/domain/PetStore"
import * as Pets from "@petstore/domain/Pets"
import * as Port from "@petstore/domain/Port"
import { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import { Effect, Layer, Stream } from "effect"

const busy = new StoreUnavailable({ reason: "busy" })
const store = Port.make<PetStore["Type"]>(writes, () => busy)

describe("Pets", () => {
  it.effect("are the operations of the store as they are", () =>
    Effect.gen(function* () {
      const layer = Layer.provide(Pets.layer, Layer.succeed(PetStore, store))
      expect(yield* Effect.provide(Pets.Pets, layer)).toBe(store)
    })
  )

  it.effect("are read, but not added, if their store is read-only", () =>
    Effect.gen(function* () {
      const { add, addAll, addOnce, get, list } = Port.readOnly(store, writes)
      const pet = { name: PetName.make("a"), categoryId: CategoryId.make(1n) }
      const calls: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
        add(pet),
        addOnce(pet, { key: "a", at: 0 }),
        addAll(Stream.empty),
        get(PetId.make(1n)),
        list({ limit: defaultLimit })
      ]
      const reasons = yield* Effect.forEach(calls, (call) => Effect.map(Effect.flip(call), String))
      const refused = "StoreUnavailable: the store is read-only"
      expect(reasons).toEqual([refused, refused, refused, String(busy), String(busy)])
    })
  )

  it("are named when they are not there", () => {
    expect(String(new PetNotFound({ id: PetId.make(7n) }))).toBe("PetNotFound: there is no pet 7")
  })

  it.each(["busy", "full", "read-only", "damaged", "incompatible", "down"] as const)(
    "are unavailable while the store is %s",
    (reason) => {
      expect(new StoreUnavailable({ reason }).message).toBe(`the store is ${reason}`)
    }
  )
})
