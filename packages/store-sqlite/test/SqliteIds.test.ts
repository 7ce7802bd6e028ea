import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { PetId } from "@petstore/domain/Pet"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as SqliteIds from "@petstore/store-sqlite/SqliteIds"
import { Effect } from "effect"
import { beforeStatements, folder, live, pet, setUp } from "./support/SqliteFile.ts"

live("the last id that was assigned may be raised, but not lowered", function* () {
  const { filename, other, store } = yield* setUp
  expect(yield* SqliteIds.last(filename)).toBe(0n)
  yield* Effect.replicateEffect(store.add(pet("Rex")), 3)
  other.exec("DELETE FROM pets WHERE id > 1")
  yield* SqliteIds.raise(filename, PetId.make(2n))
  expect(yield* SqliteIds.last(filename)).toBe(3n)
  yield* SqliteIds.raise(filename, PetId.make(9_007_199_254_740_993n))
  expect((yield* store.add(pet("Rex"))).id).toBe(9_007_199_254_740_994n)
})

live("the last id that was assigned may be raised in a file without pets", function* () {
  const { filename, store } = yield* setUp
  const executed: Array<string> = []
  yield* beforeStatements((_, sql) => executed.push(sql))
  yield* SqliteIds.raise(filename, PetId.make(3n))
  // Otherwise a power cut may lower it again.
  expect(executed).toContain("PRAGMA synchronous = FULL")
  expect((yield* store.add(pet("Rex"))).id).toBe(4n)
})

live("the last id is neither read nor raised in a file that is missing", function* () {
  const filename = join(yield* folder, "missing.db")
  for (const use of [SqliteIds.last(filename), SqliteIds.raise(filename, PetId.make(3n))]) {
    expect(yield* Effect.flip<unknown, StoreUnavailable, never>(use)).toMatchObject({
      reason: "down"
    })
    expect(existsSync(filename)).toBe(false)
  }
})
