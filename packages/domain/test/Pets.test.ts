import { describe, expect, it } from "@effect/vitest"
import { PetId } from "@petstore/domain/Pet"
import { PetNotFound, PetStore, writes } from "@petstore/domain/PetStore"
import * as Pets from "@petstore/domain/Pets"
import * as Port from "@petstore/domain/Port"
import { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import { Effect, Layer } from "effect"

describe("Pets", () => {
  it.effect("are the operations of the store as they are", () =>
    Effect.gen(function* () {
      const store = Port.make<PetStore["Type"]>(
        writes,
        () => new StoreUnavailable({ reason: "busy" })
      )
      const layer = Layer.provide(Pets.layer, Layer.succeed(PetStore, store))
      expect(yield* Effect.provide(Pets.Pets, layer)).toBe(store)
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
