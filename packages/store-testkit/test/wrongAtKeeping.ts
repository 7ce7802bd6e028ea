import { CategoryId, type Pet, PetId, PetName } from "@petstore/domain/Pet"
import { PetNotFound } from "@petstore/domain/PetStore"
import { Effect } from "effect"
import { nextId, petOf } from "./RightStore.ts"
import { type WrongStore, wrong, wrongPet } from "./WrongStore.ts"

/** Changes the pet on its way in. */
const mangling = (law: string, how: string, mangle: (pet: Pet) => Pet): WrongStore =>
  wrongPet(law, how, (newPet, shelf) => mangle(petOf(nextId(shelf), newPet)))

const ascend = "ids ascend"
const asAdded = "a pet is read as it was added"
const name = "a name is kept letter for letter"
const status = "a status is kept, and one left out stays left out"
const fields = "a pet has the fields of a pet and no others, and an id of its own"
const unknown = "an id that was never given finds nothing"
const lazy = "an operation acts when it is run, as often as it is run"

export const wrongAtKeeping: ReadonlyArray<WrongStore> = [
  wrongPet(ascend, "gives every fifth id twice", (newPet, shelf) => {
    const again = shelf.length % 5 === 4 ? shelf.at(-1)?.id : undefined
    return petOf(again ?? nextId(shelf), newPet)
  }),
  wrongPet(ascend, "counts down", (newPet, shelf) => petOf(BigInt(-shelf.length), newPet)),
  wrong(asAdded, "loses every tenth pet", (right, shelf) => {
    let count = 0
    return {
      add: (newPet) =>
        Effect.tap(right.add(newPet), () => {
          if (++count % 10 === 0) shelf.splice(-2, 1)
        })
    }
  }),
  wrong(asAdded, "finds pets in lists only", () => ({
    get: (id) => new PetNotFound({ id })
  })),
  mangling(name, "trims names", (pet) => ({
    ...pet,
    name: PetName.make(pet.name.trim() || pet.name)
  })),
  mangling(name, "normalises names", (pet) => ({
    ...pet,
    name: PetName.make(pet.name.normalize("NFC"))
  })),
  mangling(name, "cuts names short", (pet) => ({
    ...pet,
    name: PetName.make(pet.name.slice(0, 32_768))
  })),
  mangling(name, "drops a byte order mark", (pet) => ({
    ...pet,
    name: PetName.make(pet.name.replace(/^\ufeff/, ""))
  })),
  mangling("a category is kept to the last digit", "keeps integers as doubles", (pet) => ({
    ...pet,
    categoryId: CategoryId.make(BigInt.asIntN(64, BigInt(Number(pet.categoryId))))
  })),
  mangling(status, "has a default", (pet) => ({ status: "available", ...pet })),
  mangling(status, "keeps an empty key", (pet) =>
    Object.defineProperty({ ...pet }, "status", { value: pet.status, enumerable: true })
  ),
  wrongPet(fields, "lets the adder choose the id", (newPet, shelf) => ({
    ...petOf(nextId(shelf), newPet),
    ...newPet
  })),
  wrongPet(fields, "keeps whatever comes with a pet", (newPet, shelf) => ({
    ...newPet,
    id: PetId.make(nextId(shelf))
  })),
  wrongPet(
    "a pet stays as it was when its adder's object changes",
    "keeps the adder's object",
    (newPet, shelf) => Object.assign(newPet, { id: PetId.make(nextId(shelf)) })
  ),
  wrong(unknown, "finds the nearest pet", (_, shelf) => ({
    get: (id) =>
      Effect.suspend(() => {
        const pet = shelf.find((pet) => pet.id >= id)
        return pet === undefined ? new PetNotFound({ id }) : Effect.succeed(pet)
      })
  })),
  wrong(unknown, "tells another id than the one that is missing", (right) => ({
    get: (id) => Effect.mapError(right.get(id), () => new PetNotFound({ id: PetId.make(0n) }))
  })),
  wrong(unknown, "looks at half of the id", (right) => ({
    get: (id) => right.get(PetId.make(BigInt.asIntN(32, id)))
  })),
  wrong(lazy, "is eager to add", (right) => ({
    add: (newPet) => Effect.succeed(Effect.runSync(right.add(newPet)))
  })),
  wrong(lazy, "is eager to get", (right) => ({
    get: (id) => Effect.runSyncExit(right.get(id))
  }))
]
