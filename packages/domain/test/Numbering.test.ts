import { describe, expect, it } from "@effect/vitest"
import * as Int64 from "@petstore/domain/Int64"
import { nextPets } from "@petstore/domain/Numbering"
import { CategoryId, PetId, PetName } from "@petstore/domain/Pet"
import { Either } from "effect"

const pet = (name: string, id?: bigint) => ({
  name: PetName.make(name),
  categoryId: CategoryId.make(1n),
  ...(id === undefined ? {} : { id: PetId.make(id) })
})
const arrivals = (...ids: ReadonlyArray<bigint | undefined>) =>
  ids.map((id, place) => ({ place, pet: pet(`${place}`, id) }))
const isTaken = (id: bigint) => id === 3n || id === 5n
const next = (...ids: ReadonlyArray<bigint | undefined>) => nextPets(arrivals(...ids), 5n, isTaken)

describe("the pets of an import", () => {
  it("keep their ids, and the others are numbered after all of them, in their order", () => {
    const given = next(undefined, 9n, 2n, undefined)
    expect(Either.getOrThrow(given)).toEqual([
      pet("2", 2n),
      pet("1", 9n),
      pet("0", 10n),
      pet("3", 11n)
    ])
  })

  it("continue after the greatest id of the store", () => {
    const ids = Either.getOrThrow(next(4n, undefined)).map(({ id }) => id)
    expect(ids).toEqual([4n, 6n])
  })

  it("are refused if their ids are those of the store or of earlier arrivals, by place", () => {
    const error = Either.getLeft(next(5n, 8n, undefined, 8n, 3n))
    const taken = [
      { place: 0, id: 5n },
      { place: 3, id: 8n },
      { place: 4, id: 3n }
    ]
    expect(error).toMatchObject({ value: { _tag: "IdsTaken", taken, count: 3 } })
  })

  it("are named up to a hundred, and all counted", () => {
    const error = Either.getLeft(next(...Array(102).fill(3n)))
    expect(error).toMatchObject({ value: { count: 102 } })
    expect(error).toMatchObject({ value: { taken: { length: 100 } } })
  })

  it("are too many when there is no id for one of them, and not before", () => {
    expect(Either.isRight(next(Int64.max - 1n, undefined))).toBe(true)
    const full = Either.getLeft(next(Int64.max, undefined))
    expect(full).toMatchObject({ value: { _tag: "StoreUnavailable", reason: "full" } })
  })
})
