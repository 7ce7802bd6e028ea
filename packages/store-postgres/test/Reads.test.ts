import { describe, expect, it } from "@effect/vitest"
import { PetId } from "@petstore/domain/Pet"
import { PageLimit } from "@petstore/domain/PetPage"
import { PetNotFound } from "@petstore/domain/PetStore"
import { Effect, Exit } from "effect"
import { connect, database, openStore, pet } from "./support/Databases.ts"
import { expectFailure } from "./support/Failures.ts"

const setUp = Effect.gen(function* () {
  const url = yield* database
  const store = yield* openStore({ url })
  const pets = yield* Effect.forEach(["Ann", "Bob", "Eve"], (name) => store.add(pet(name, "sold")))
  return { other: yield* connect(url), pets, store }
})
const together = { concurrency: "unbounded" } as const

describe("reads that arrive together", () => {
  it.scopedLive("get each its own pet, or none", () =>
    Effect.gen(function* () {
      const { pets, store } = yield* setUp
      const ids = [3n, 1n, 99n, 3n].map((id) => PetId.make(id))
      const exits = yield* Effect.all(
        ids.map((id) => Effect.exit(store.get(id))),
        together
      )
      const missing = Exit.fail(new PetNotFound({ id: PetId.make(99n) }))
      expect(exits).toEqual(
        [pets[2], pets[0], undefined, pets[2]].map((one) => (one ? Exit.succeed(one) : missing))
      )
    })
  )

  it.scopedLive("fail only where a row is damaged", () =>
    Effect.gen(function* () {
      const { other, pets, store } = yield* setUp
      yield* Effect.promise(() => other.query("ALTER TABLE pets DROP CONSTRAINT pets_name_check"))
      yield* Effect.promise(() => other.query("UPDATE pets SET name = '' WHERE id = 2"))
      const [found] = yield* Effect.all(
        [store.get(PetId.make(1n)), expectFailure(store.get(PetId.make(2n)), "damaged")],
        together
      )
      expect(found).toEqual(pets[0])
    })
  )

  it.scopedLive("list each its own page", () =>
    Effect.gen(function* () {
      const { store } = yield* setUp
      const limit = PageLimit.make(2)
      const queries = [
        { limit },
        { limit: PageLimit.make(1) },
        { limit, after: PetId.make(1n) },
        { limit, status: "pending" },
        { limit, status: "sold" }
      ] as const
      const pages = yield* Effect.all(
        queries.map((query) => store.list(query)),
        together
      )
      const names = pages.map((page) => page.pets.map(({ name }) => name))
      expect(names).toEqual([["Ann", "Bob"], ["Ann"], ["Bob", "Eve"], [], ["Ann", "Bob"]])
    })
  )
})
