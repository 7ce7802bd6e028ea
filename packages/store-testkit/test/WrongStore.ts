/** Stores of pets that are wrong in one way. */
import type { ImportedPet, NewPet, Pet } from "@petstore/domain/Pet"
import type { PetStore } from "@petstore/domain/PetStore"
import type { Law } from "@petstore/store-testkit/Law"
import { Effect, Stream } from "effect"
import { type Wrong, wrongOf } from "./LawTests.ts"
import { make, petOf, placeOf, type Shelf, type Store } from "./RightStore.ts"

export type WrongStore = Wrong<PetStore>

/** The right store with some operations replaced. */
export const wrong = wrongOf(placeOf, make)

/** Assigns ids from one on, whatever is on the shelf. */
export const countingFromOne = (_: Store, shelf: Shelf): Partial<Store> => {
  let id = 0n
  return {
    add: (newPet) =>
      Effect.sync(() => {
        const pet = petOf(++id, newPet)
        shelf.push(pet)
        return pet
      })
  }
}

/** Adds a pet once more when its add is interrupted. */
export const addingAgain = (right: Store): Partial<Store> => ({
  add: (newPet) =>
    Effect.zipLeft(right.add(newPet), Effect.repeatN(Effect.yieldNow(), 3)).pipe(
      Effect.onInterrupt(() => Effect.ignore(right.add(newPet)))
    )
})

/** The right store, but for what it makes of a new pet. */
export const wrongPet = (
  law: Law,
  how: string,
  petOf: (newPet: NewPet, shelf: Shelf) => Pet
): WrongStore =>
  wrong(law, how, (_, shelf) => ({
    add: (newPet) =>
      Effect.sync(() => {
        const pet = petOf(newPet, shelf)
        shelf.push(pet)
        return pet
      })
  }))

/** The right store, but for what it does with the pets of an import once all of them are there. */
export const wrongImport = (
  law: Law,
  how: string,
  change: (shelf: Shelf, pets: ReadonlyArray<ImportedPet>) => void
): WrongStore =>
  wrong(law, how, (_, shelf) => ({
    addAll: (pets) =>
      Effect.map(Stream.runCollect(pets), (chunk) => {
        change(
          shelf,
          Array.from(chunk, ({ pet }) => pet)
        )
        return chunk.length
      })
  }))
