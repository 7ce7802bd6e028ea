import { describe, expect } from "@effect/vitest"
import { lifetime, make } from "@petstore/domain/Idempotency"
import { Effect } from "effect"
import { live, names, pet, setUp } from "./support/SqliteFile.ts"

const set = Effect.map(setUp, ({ other, store }) => ({
  other,
  store,
  addOnce: (key: string, at: number, name = key) => store.addOnce(pet(name), make(key, at)),
  keys: () => other.prepare("SELECT key FROM idempotency_keys ORDER BY at, key").pluck().all()
}))

describe("expired keys", () => {
  live("are removed by new ones, two by each, the oldest first", function* () {
    const { addOnce, keys } = yield* set
    for (const [nth, key] of ["a", "b", "c", "d", "e"].entries()) yield* addOnce(key, nth)
    yield* addOnce("x", lifetime + 3)
    expect(keys()).toEqual(["c", "d", "e", "x"])
    yield* addOnce("y", lifetime + 3)
    expect(keys()).toEqual(["e", "x", "y"])
    yield* addOnce("z", lifetime + 3)
    expect(keys()).toEqual(["e", "x", "y", "z"])
  })
})

describe("a key whose pet was removed by hand", () => {
  live("is used again", function* () {
    const { addOnce, other, store } = yield* set
    yield* addOnce("key", 0, "Rex")
    other.exec("DELETE FROM pets")
    expect((yield* addOnce("key", 1, "Tom")).pet.id).toBe(2n)
    expect((yield* addOnce("key", 2, "Tom")).pet.id).toBe(2n)
    expect(yield* names(store)).toEqual(["Tom"])
  })
})

describe("an add with a key that fails", () => {
  live("leaves no key", function* () {
    const { addOnce, keys, other, store } = yield* set
    other.exec(`CREATE TRIGGER refuse AFTER INSERT ON idempotency_keys
        BEGIN SELECT raise(ABORT, 'no'); END`)
    yield* Effect.flip(addOnce("key", 0, "Rex"))
    expect(keys()).toEqual([])
    expect(yield* names(store)).toEqual([])
    other.exec("DROP TRIGGER refuse")
    expect((yield* addOnce("key", 0, "Tom")).pet.name).toBe("Tom")
  })
})
