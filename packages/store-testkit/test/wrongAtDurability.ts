import { PetStore } from "@petstore/domain/PetStore"
import { durability } from "@petstore/store-testkit/Laws"
import { Effect, Layer } from "effect"
import { make, petOf, placeOf, type Shelf } from "./RightStore.ts"
import { countingFromOne, type WrongStore, wrong } from "./WrongStore.ts"

export const wrongAtDurability: ReadonlyArray<WrongStore> = [
  { law: durability.reopened, how: "forgets everything", place: placeOf(() => make([])) },
  {
    law: durability.reopened,
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
  wrong(durability.idsGoOn, "counts from one again", countingFromOne),
  {
    law: durability.importsReopened,
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
  wrong(durability.importsReopened, "forgets how far its ids had come", (right, shelf) => {
    const isReopened = shelf.length > 0
    return {
      add: (newPet) => (isReopened ? Effect.succeed(petOf(1n, newPet)) : right.add(newPet))
    }
  }),
  {
    law: durability.closing,
    how: "saves when it begins to close, and accepts more",
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
