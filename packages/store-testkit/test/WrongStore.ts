/** A store that is wrong in one way, and the law that is to notice. */
import type { NewPet, Pet } from "@petstore/domain/Pet"
import type { Place } from "@petstore/store-testkit/Law"
import { Effect } from "effect"
import { make, placeOf, type Shelf, type Store } from "./RightStore.ts"

export interface WrongStore {
  readonly law: string
  readonly how: string
  readonly place: Place
}

/** The right store with some operations replaced. */
export const wrong = (
  law: string,
  how: string,
  change: (right: Store, shelf: Shelf) => Partial<Store>
): WrongStore => ({
  law,
  how,
  place: placeOf((shelf) => {
    const right = make(shelf)
    return { ...right, ...change(right, shelf) }
  })
})

/** The right store, but for what it makes of a new pet. */
export const wrongPet = (
  law: string,
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
