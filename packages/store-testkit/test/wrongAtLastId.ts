import { PetId } from "@petstore/domain/Pet"
import * as Int64 from "@petstore/kernel/Int64"
import { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { lastId } from "@petstore/store-testkit/Laws"
import { Effect, Stream } from "effect"
import { nextId, petOf, settle } from "./RightStore.ts"
import { type WrongStore, wrong } from "./WrongStore.ts"

export const wrongAtLastId: ReadonlyArray<WrongStore> = [
  wrong(lastId.full, "moves the greatest id", (right) => ({
    addAll: (pets) =>
      right.addAll(
        Stream.map(pets, ({ pet, place }) => ({
          place,
          pet: pet.id === Int64.max ? { ...pet, id: PetId.make(2n ** 62n) } : pet
        }))
      )
  })),
  wrong(lastId.full, "starts again when no id is left", (right, shelf) => ({
    add: (newPet) =>
      Effect.catchAll(right.add(newPet), () =>
        Effect.sync(() => {
          const pet = petOf(500n, newPet)
          shelf.push(pet)
          return pet
        })
      )
  })),
  wrong(lastId.full, "continues beyond 64 bits", (right, shelf) => ({
    add: (newPet) =>
      Effect.catchAll(right.add(newPet), () =>
        Effect.sync(() => {
          const pet = { ...petOf(0n, newPet), id: PetId.make(Int64.max + 1n, true) }
          shelf.push(pet)
          return pet
        })
      )
  })),
  wrong(lastId.full, "starts again for an add with a key", (right) => ({
    addOnce: (newPet, once) =>
      Effect.catchAll(right.addOnce(newPet, once), () =>
        Effect.succeed({ pet: petOf(500n, newPet), isRepeat: false })
      )
  })),
  wrong(lastId.full, "takes a repeat for an add when no id is left", (right, shelf) => ({
    addOnce: (newPet, once) =>
      Effect.map(right.addOnce(newPet, once), ({ isRepeat, pet }) => ({
        pet,
        isRepeat: isRepeat && nextId(shelf) <= Int64.max
      }))
  })),
  wrong(lastId.full, "is down when no id is left", (right) => ({
    add: (newPet) =>
      Effect.mapError(right.add(newPet), () => new StoreUnavailable({ reason: "down" }))
  })),
  wrong(
    lastId.full,
    "imports those that bring an id when there is none for the others",
    (right, shelf) => ({
      addAll: (pets) =>
        Effect.flatMap(Stream.runCollect(pets), (all) =>
          Effect.tapErrorTag(right.addAll(Stream.fromChunk(all)), "StoreUnavailable", () =>
            Effect.sync(() => {
              const brought = Array.from(all, ({ pet }) => pet).filter(({ id }) => id !== undefined)
              settle(shelf, brought)
            })
          )
        )
    })
  )
]
