import { describe, expect, it } from "@effect/vitest"
import { CategoryId, PetId, PetName } from "@petstore/domain/Pet"
import { nextPet, nextPets } from "@petstore/domain/PetIds"
import * as Int64 from "@petstore/kernel/Int64"
import { Effect, Exit } from "effect"

const pet = (name: string, id?: bigint) => ({
  name: PetName.make(name),
  categoryId: CategoryId.make(1n),
  ...(id === undefined ? {} : { id: PetId.make(id) })
})
const arrivals = (...ids: ReadonlyArray<bigint | undefined>) =>
  ids.map((id, place) => ({ place, pet: pet(`${place}`, id) }))
const isTaken = (id: bigint) => id === 3n || id === 5n
const next = (...ids: ReadonlyArray<bigint | undefined>) => nextPets(arrivals(...ids), 5n, isTaken)
const failure = <A, E>(exit: Exit.Exit<A, E>) => Effect.runSync(Effect.flip(exit))
const full = {
  _tag: "StoreUnavailable",
  reason: "full",
  message: "the store is full",
  cause: { message: "no id is left" }
}

describe("the pets of an import", () => {
  it("keep their ids, and the others are numbered after all of them, in their order", () => {
    const given = next(undefined, 9n, 2n, undefined, 7n)
    expect(Effect.runSync(given)).toEqual([
      pet("2", 2n),
      pet("4", 7n),
      pet("1", 9n),
      pet("0", 10n),
      pet("3", 11n)
    ])
  })

  it("continue after the greatest id of the store", () => {
    const ids = Effect.runSync(next(4n, undefined)).map(({ id }) => id)
    expect(ids).toEqual([4n, 6n])
    expect(next(undefined)).toEqual(Exit.succeed([pet("0", 6n)]))
  })

  it("are refused if their ids are those of the store or of earlier arrivals, by place", () => {
    const error = failure(next(5n, 8n, undefined, 8n, 3n))
    const taken = [
      { place: 0, id: 5n },
      { place: 3, id: 8n },
      { place: 4, id: 3n }
    ]
    const message = "3 of the pets have ids that are taken"
    expect(error).toMatchObject({ _tag: "IdsTaken", taken, count: 3, message })
  })

  it("are named up to a hundred, and all counted", () => {
    const error = failure(next(...Array(102).fill(3n)))
    expect(error).toMatchObject({ count: 102 })
    expect(error).toMatchObject({ taken: { length: 100 } })
  })

  it("are too many when there is no id for one of them, and not before", () => {
    expect(Exit.isSuccess(next(Int64.max - 1n, undefined))).toBe(true)
    expect(failure(next(Int64.max, undefined))).toMatchObject(full)
  })
})

describe("a new pet", () => {
  it("has the id after the greatest, until none is left", () => {
    expect(nextPet(pet("a"), 5n)).toEqual(Exit.succeed(pet("a", 6n)))
    expect(nextPet(pet("a"), Int64.max - 1n)).toEqual(Exit.succeed(pet("a", Int64.max)))
    expect(failure(nextPet(pet("a"), Int64.max))).toMatchObject(full)
  })
})
