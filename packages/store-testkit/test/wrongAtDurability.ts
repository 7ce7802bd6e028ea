import { PetStore } from "@petstore/domain/PetStore"
import { Effect, Layer } from "effect"
import { make, petOf, placeOf, type Shelf } from "./RightStore.ts"
import type { WrongStore } from "./WrongStore.ts"

const reopened = "a reopened store holds all that it acknowledged"

export const wrongAtDurability: ReadonlyArray<WrongStore> = [
  { law: reopened, how: "forgets everything", place: placeOf(() => make([])) },
  {
    law: reopened,
    how: "saves every tenth time only",
    place: placeOf((shelf) => {
      const memory = [...shelf]
      const right = make(memory)
      return {
        ...right,
        add: (newPet) =>
          Effect.tap(right.add(newPet), () => {
            if (memory.length % 10 === 0) shelf.push(...memory.slice(shelf.length))
          })
      }
    })
  },
  {
    law: "ids go on ascending in a reopened store",
    how: "counts from one again",
    place: placeOf((shelf) => {
      let id = 0n
      return {
        ...make(shelf),
        add: (newPet) =>
          Effect.sync(() => {
            const pet = petOf(++id, newPet)
            shelf.push(pet)
            return pet
          })
      }
    })
  },
  {
    law: "a reopened store holds all that was imported",
    how: "saves what is added, but not what is imported",
    place: placeOf((shelf) => {
      const memory = [...shelf]
      const right = make(memory)
      return {
        ...right,
        add: (newPet) => Effect.tap(right.add(newPet), (pet) => shelf.push(pet))
      }
    })
  },
  {
    law: "a reopened store holds all that was imported",
    how: "forgets how far its ids had come",
    place: placeOf((shelf) => {
      const isReopened = shelf.length > 0
      const right = make(shelf)
      return {
        ...right,
        add: (newPet) => (isReopened ? Effect.succeed(petOf(1n, newPet)) : right.add(newPet))
      }
    })
  },
  {
    law: "what is acknowledged while the store closes is kept",
    how: "saves when it closes, and goes on",
    place: Effect.sync(() => {
      const shelf: Shelf = []
      const opened = Effect.acquireRelease(
        Effect.sync(() => [...shelf]),
        (memory) =>
          Effect.zipRight(
            Effect.sync(() => shelf.push(...memory.slice(shelf.length))),
            Effect.yieldNow()
          )
      )
      return Layer.scoped(PetStore, Effect.map(opened, make))
    })
  }
]
