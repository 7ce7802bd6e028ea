/** The laws that every store of adoptions obeys, and the stores. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PetId } from "@petstore/domain/Pet"
import { Law, Mismatch } from "@petstore/store-testkit"
import { lawSuite } from "@petstore/store-testkit/vitest"
import { Effect, Option } from "effect"
import { type Adoption, AdoptionStore } from "../src/Adoption.ts"
import * as MemoryAdoptionStore from "../src/MemoryAdoptionStore.ts"
import * as SqliteAdoptionStore from "../src/SqliteAdoptionStore.ts"

const five = [1, 2, 3, 4, 5].map((nth): Adoption => {
  const id = `00000000-0000-4000-8000-00000000000${nth}`
  return { id, petId: PetId.make(9007199254740993n), adopter: ` 🐈\n';-- ${nth}` }
})
const firstOnly = five.map((one, nth) => (nth === 0 ? Option.some(one) : Option.none()))
const add = (adoption: Adoption) =>
  Effect.flatMap(AdoptionStore, (store) => Effect.isSuccess(store.add(adoption)))
const kept = Effect.flatMap(AdoptionStore, ({ get }) => Effect.forEach(five, ({ id }) => get(id)))

const laws = [
  Law.make(
    "the first adoption of a pet is kept as it was added, and no other",
    Effect.gen(function* () {
      const added = yield* Effect.forEach(five, add)
      yield* Mismatch.expectSame("which are added", added, firstOnly.map(Option.isSome))
      yield* Mismatch.expectSame("the adoptions", yield* kept, firstOnly)
    })
  ),
  Law.make(
    "of adoptions of one pet at once, one is added",
    Effect.gen(function* () {
      const added = yield* Effect.forEach(five, add, { concurrency: "unbounded" })
      yield* Mismatch.expectSame("how many are added", added.filter(Boolean).length, 1)
      yield* Mismatch.expectSame("which are kept", (yield* kept).map(Option.isSome), added)
    })
  )
]
const reopens = Law.makeAt<AdoptionStore>("a reopened store has what was added", (place) =>
  Effect.gen(function* () {
    const layer = yield* place
    yield* Effect.provide(Effect.forEach(five, add), layer)
    yield* Mismatch.expectSame("the adoptions", yield* Effect.provide(kept, layer), firstOnly)
  })
)

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "adoptions-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)
const inFile = Effect.map(folder, (path) => SqliteAdoptionStore.layer(join(path, "adoptions.db")))

lawSuite("MemoryAdoptionStore", laws, Effect.succeed(MemoryAdoptionStore.layer))
lawSuite("SqliteAdoptionStore", [...laws, reopens], inFile)
