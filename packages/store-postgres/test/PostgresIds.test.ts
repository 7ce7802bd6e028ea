import { expect } from "@effect/vitest"
import { PetId } from "@petstore/domain/Pet"
import * as PostgresIds from "@petstore/store-postgres/PostgresIds"
import { Effect } from "effect"
import { connect, database, live, openStore, patient, pet } from "./support/Databases.ts"

live("the last id that was assigned may be raised, but not lowered", function* () {
  const options = { url: yield* database, ...patient }
  const store = yield* openStore(options)
  const other = yield* connect(options.url)
  expect(yield* PostgresIds.last(options)).toBe(0n)
  yield* Effect.replicateEffect(store.add(pet("Rex")), 3)
  yield* Effect.promise(() => other.query("DELETE FROM pets WHERE id > 1"))
  yield* PostgresIds.raise(options, PetId.make(2n))
  expect(yield* PostgresIds.last(options)).toBe(3n)
  yield* PostgresIds.raise(options, PetId.make(9_007_199_254_740_993n))
  expect((yield* store.add(pet("Rex"))).id).toBe(9_007_199_254_740_994n)
})
