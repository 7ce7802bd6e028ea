import type { NewPet } from "@petstore/domain/Pet"
import { concurrency } from "@petstore/store-testkit/Laws"
import { Effect } from "effect"
import { nextId, petOf } from "./RightStore.ts"
import { addingAgain, type WrongStore, wrong } from "./WrongStore.ts"

export const wrongAtConcurrency: ReadonlyArray<WrongStore> = [
  wrong(concurrency.ids, "reads the last id, waits, and writes the next", (_, shelf) => ({
    add: (newPet) =>
      Effect.gen(function* () {
        const id = nextId(shelf)
        yield* Effect.yieldNow()
        const pet = petOf(id, newPet)
        shelf.push(pet)
        return pet
      })
  })),
  wrong(concurrency.ids, "takes ids in blocks, as a caching sequence does", (_, shelf) => {
    const blocks = [0n, 1000n]
    let turn = 0
    return {
      add: (newPet) =>
        Effect.sync(() => {
          const block = turn++ % 2
          const id = (blocks[block] ?? 0n) + 1n
          blocks[block] = id
          const pet = petOf(id, newPet)
          shelf.push(pet)
          shelf.sort((a, b) => Number(a.id - b.id))
          return pet
        })
    }
  }),
  wrong(concurrency.kept, "writes back what it read before", (_, shelf) => {
    let id = 0n
    return {
      add: (newPet) =>
        Effect.gen(function* () {
          const pet = petOf(++id, newPet)
          const pets = [...shelf, pet]
          yield* Effect.yieldNow()
          shelf.splice(0, shelf.length, ...pets)
          return pet
        })
    }
  }),
  wrong(concurrency.kept, "gives callers at once the pet of one of them", (right) => {
    let last: NewPet
    return {
      add: (newPet) =>
        Effect.suspend(() => {
          last = newPet
          return Effect.zipRight(
            Effect.yieldNow(),
            Effect.suspend(() => right.add(last))
          )
        })
    }
  }),
  wrong(concurrency.walks, "clears the shelf and fills it again", (right, shelf) => {
    const lock = Effect.unsafeMakeSemaphore(1)
    return {
      add: (newPet) =>
        lock.withPermits(1)(
          Effect.gen(function* () {
            const pet = yield* right.add(newPet)
            const pets = shelf.splice(0)
            yield* Effect.yieldNow()
            shelf.push(...pets)
            return pet
          })
        )
    }
  }),
  wrong(concurrency.appearing, "numbers pets before it shows them", (_, shelf) => {
    let id = 0n
    return {
      add: (newPet) =>
        Effect.gen(function* () {
          const pet = petOf(++id, newPet)
          yield* Effect.repeatN(Effect.yieldNow(), pet.id % 2n === 0n ? 1 : 5)
          shelf.push(pet)
          shelf.sort((a, b) => Number(a.id - b.id))
          return pet
        })
    }
  }),
  wrong(concurrency.appearing, "knows one page only", (right) => ({
    list: ({ after: _, ...query }) => right.list(query)
  })),
  wrong(concurrency.interrupted, "takes back the wrong pet", (right, shelf) => ({
    add: (newPet) =>
      Effect.zipLeft(right.add(newPet), Effect.repeatN(Effect.yieldNow(), 3)).pipe(
        Effect.onInterrupt(() => Effect.sync(() => shelf.pop()))
      )
  })),
  wrong(concurrency.interrupted, "adds a pet again", addingAgain)
]
