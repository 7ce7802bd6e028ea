import { describe, expect, it } from "@effect/vitest"
import { type Pet, Pet as PetSchema } from "@petstore/domain/Pet"
import { defaultLimit } from "@petstore/domain/PetPage"
import { readOnly } from "@petstore/domain/PetStore"
import { Effect, Option, Schema } from "effect"

const rex: Pet = Schema.decodeSync(PetSchema)({ id: 7, name: "Rex", categoryId: 1 })

/** A store with a method that the port does not have yet. */
const store = {
  add: () => Effect.succeed(rex),
  addOnce: () => Effect.succeed(rex),
  addAll: () => Effect.succeed(1),
  get: () => Effect.succeed(rex),
  list: () => Effect.succeed({ pets: [rex], next: Option.none() }),
  remove: () => Effect.succeed(rex)
}

describe("a read-only store", () => {
  it.effect("reads", () =>
    Effect.gen(function* () {
      const { get, list } = readOnly(store)
      expect(yield* get(rex.id)).toBe(rex)
      expect((yield* list({ limit: defaultLimit })).pets).toEqual([rex])
    })
  )

  it.effect("refuses everything else, also what is added later", () =>
    Effect.gen(function* () {
      const { get: _, list: __, ...changes } = readOnly(store)
      const methods: Record<
        string,
        (...input: ReadonlyArray<never>) => Effect.Effect<unknown, unknown>
      > = changes
      expect(Object.keys(methods)).toEqual(["add", "addOnce", "addAll", "remove"])
      for (const change of Object.values(methods)) {
        expect(yield* Effect.flip(change())).toMatchObject({
          _tag: "StoreUnavailable",
          reason: "read-only"
        })
      }
    })
  )
})
