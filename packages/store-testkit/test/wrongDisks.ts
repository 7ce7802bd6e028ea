/** Stores that are wrong once they are opened again, or when their calls are interrupted. */
import { PetStore } from "@petstore/domain/PetStore"
import type { Law } from "@petstore/store-testkit/Law"
import { concurrentImports, durability, interruption } from "@petstore/store-testkit/Laws"
import { Effect, Layer, Stream, Struct } from "effect"
import { addOnceWith, keysOf, make, petOf, placeOf, type Shelf, type Store } from "./RightStore.ts"
import { addingAgain, countingFromOne, type WrongStore, wrong } from "./WrongStore.ts"

/** As long as a disk takes. */
const aWhile = Effect.repeatN(Effect.yieldNow(), 5)

/** A store that answers from memory, and what it saves. */
const inMemory = (
  law: Law,
  how: string,
  change: (right: Store, memory: Shelf, shelf: Shelf) => Partial<Store>
): WrongStore => ({
  law,
  how,
  place: placeOf((shelf) => {
    const memory = [...shelf]
    const right = make(memory)
    return { ...right, ...change(right, memory, shelf) }
  })
})

export const wrongDisks: ReadonlyArray<WrongStore> = [
  { law: durability.reopened, how: "forgets everything", place: placeOf(() => make([])) },
  wrong(durability.idsGoOn, "counts from one again", countingFromOne),
  inMemory(
    durability.importsReopened,
    "saves what is added, but not what is imported",
    (right, _, shelf) => ({
      add: (newPet) => Effect.tap(right.add(newPet), (pet) => shelf.push(pet))
    })
  ),
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
  },
  inMemory(
    interruption.adds,
    "is interrupted after the commit and before it knows its new pet",
    (_, memory, shelf) => ({
      add: (newPet) =>
        Effect.gen(function* () {
          const pet = yield* make([...memory]).add(newPet)
          shelf.push(pet)
          yield* aWhile
          memory.push(pet)
          return pet
        })
    })
  ),
  wrong(interruption.keyedAdds, "saves a key after its pet", (right, shelf) => {
    const saved = keysOf(shelf)
    const addOnce = addOnceWith(new Map(saved), right.add)
    return {
      addOnce: (newPet, idempotency) =>
        Effect.gen(function* () {
          const added = yield* addOnce(newPet, idempotency)
          yield* aWhile
          saved.set(idempotency.key, { pet: added.pet, at: idempotency.at })
          return added
        })
    }
  }),
  wrong(interruption.adds, "adds a pet again", addingAgain),
  wrong(interruption.imports, "saves an import pet by pet", (right) => ({
    addAll: (pets) =>
      pets.pipe(
        Stream.mapEffect((one) => Effect.zipLeft(right.addAll(Stream.make(one)), aWhile)),
        Stream.runSum
      )
  })),
  ...(["add", "addOnce", "addAll", "get", "list"] as const).map((name) =>
    wrong(
      concurrentImports.waiting,
      `lets ${name} wait while the pets of an import arrive`,
      (right) => {
        const latch = Effect.unsafeMakeLatch(true)
        let imports = 0
        const count = (more: number) =>
          Effect.suspend(() => {
            imports += more
            return imports === 0 ? latch.open : latch.close
          })
        const importing: Store["addAll"] = (pets) =>
          Effect.zipRight(count(1), Effect.ensuring(right.addAll(pets), count(-1)))
        const waiting: Store = {
          add: (newPet) => latch.whenOpen(right.add(newPet)),
          addOnce: (newPet, once) => latch.whenOpen(right.addOnce(newPet, once)),
          addAll: (pets) => latch.whenOpen(importing(pets)),
          get: (id) => latch.whenOpen(right.get(id)),
          list: (query) => latch.whenOpen(right.list(query))
        }
        return Object.assign({ addAll: importing }, Struct.pick(waiting, name))
      }
    )
  )
]
