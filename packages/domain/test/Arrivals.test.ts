import { describe, expect, it } from "@effect/vitest"
import { assignIds } from "@petstore/domain/Arrivals"
import * as Int64 from "@petstore/domain/Int64"
import { CategoryId, PetId, PetName } from "@petstore/domain/Pet"
import { Either } from "effect"

const pet = (name: string, id?: bigint) => ({
  name: PetName.make(name),
  categoryId: CategoryId.make(1n),
  ...(id === undefined ? {} : { id: PetId.make(id) })
})
const arrivals = (...ids: ReadonlyArray<bigint | undefined>) =>
  ids.map((id, place) => ({ place, pet: pet(`${place}`, id) }))
const store = { greatest: 5n, isTaken: (id: bigint) => id === 3n || id === 5n }

describe("assignIds", () => {
  it("keeps ids, and numbers the others after all of them, in their order", () => {
    const given = assignIds(arrivals(undefined, 9n, 2n, undefined), store)
    expect(Either.getOrThrow(given)).toEqual([
      pet("2", 2n),
      pet("1", 9n),
      pet("0", 10n),
      pet("3", 11n)
    ])
  })

  it("continues after the greatest id of the store", () => {
    const ids = Either.getOrThrow(assignIds(arrivals(4n, undefined), store)).map(({ id }) => id)
    expect(ids).toEqual([4n, 6n])
  })

  it("refuses ids of the store and of earlier arrivals, all of them by place", () => {
    const error = Either.getLeft(assignIds(arrivals(5n, 8n, undefined, 8n, 3n), store))
    const taken = [
      { place: 0, id: 5n },
      { place: 3, id: 8n },
      { place: 4, id: 3n }
    ]
    expect(error).toMatchObject({ value: { _tag: "IdsTaken", taken, count: 3 } })
  })

  it("names a hundred of them and counts all", () => {
    const error = Either.getLeft(assignIds(arrivals(...Array(102).fill(3n)), store))
    expect(error).toMatchObject({ value: { count: 102 } })
    expect(error).toMatchObject({ value: { taken: { length: 100 } } })
  })

  it("is full when there is no id for one of them, and not before", () => {
    expect(Either.isRight(assignIds(arrivals(Int64.max - 1n, undefined), store))).toBe(true)
    const full = Either.getLeft(assignIds(arrivals(Int64.max, undefined), store))
    expect(full).toMatchObject({ value: { _tag: "StoreUnavailable", reason: "full" } })
  })
})
