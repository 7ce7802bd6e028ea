import { concurrentImports, interruption } from "@petstore/store-testkit/Laws"
import { Chunk, Effect, Stream, Struct } from "effect"
import {
  addOnceWith,
  bring,
  type Keys,
  keysOf,
  make,
  placeOf,
  type Shelf,
  type Store
} from "./RightStore.ts"
import { addingAgain, type WrongStore, wrong } from "./WrongStore.ts"

/** As long as a disk takes. */
const aWhile = Effect.repeatN(Effect.yieldNow(), 5)

/** A store that answers from memory, and what it saves. */
const inMemory = (shelf: Shelf) => {
  const memory = [...shelf]
  const right = make(memory)
  return { memory, right }
}

export const wrongAtInterruption: ReadonlyArray<WrongStore> = [
  {
    law: interruption.adds,
    how: "is interrupted after the commit and before it knows its new pet",
    place: placeOf((shelf) => {
      const { memory, right } = inMemory(shelf)
      return {
        ...right,
        add: (newPet) =>
          Effect.gen(function* () {
            const pet = yield* make([...memory]).add(newPet)
            shelf.push(pet)
            yield* aWhile
            memory.push(pet)
            return pet
          })
      }
    })
  },
  {
    law: interruption.keyedAdds,
    how: "saves a key after its pet",
    place: placeOf((shelf) => {
      const saved = keysOf(shelf)
      const keys: Keys = new Map(saved)
      const right = make(shelf)
      const addOnce = addOnceWith(keys, right.add)
      return {
        ...right,
        addOnce: (newPet, idempotency) =>
          Effect.gen(function* () {
            const added = yield* addOnce(newPet, idempotency)
            yield* aWhile
            saved.set(idempotency.key, { pet: added.pet, at: idempotency.at })
            return added
          })
      }
    })
  },
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
      `holds the lock of ${name} while the pets of an import arrive`,
      (right, shelf) => {
        const locked = Effect.unsafeMakeSemaphore(1).withPermits(1)
        const store: Store = {
          add: (newPet) => locked(right.add(newPet)),
          addOnce: (newPet, once) => locked(right.addOnce(newPet, once)),
          addAll: (pets) =>
            Effect.flatMap(Stream.runCollect(pets), (chunk) =>
              bring(shelf, Chunk.toReadonlyArray(chunk))
            ).pipe(Effect.uninterruptible, locked),
          get: (id) => locked(right.get(id)),
          list: (query) => locked(right.list(query))
        }
        return Struct.pick(store, name, "addAll")
      }
    )
  )
]
