import { isSame, type Pet } from "@petstore/domain/Pet"
import { PetStore } from "@petstore/domain/PetStore"
import { durability, idempotency, randomOperations, sharing } from "@petstore/store-testkit/Laws"
import { Effect, Layer } from "effect"
import { add, addOnceWith, keysOf, make, type Shelf, type Store } from "./RightStore.ts"
import { type WrongStore, wrong } from "./WrongStore.ts"

/** A store whose keys are changed before it looks at them. */
const keyed =
  (change: (key: string) => string) =>
  (right: Store): Partial<Store> => ({
    addOnce: (newPet, once) => right.addOnce(newPet, { ...once, key: change(once.key) })
  })

/** Adds the pet, waits, and keeps the key, so that a pet may be there without its key. */
const keepsLater = (_: Store, shelf: Shelf): Partial<Store> => ({
  addOnce: addOnceWith(keysOf(shelf), (newPet) =>
    Effect.zipLeft(add(shelf, newPet), Effect.repeatN(Effect.yieldNow(), 5))
  )
})

const first = (pet: Pet) => ({ pet, isRepeat: false })

const { atOnce, contested, different, forgotten, interrupted, others, repeated, seen } = idempotency

export const wrongAtIdempotency: ReadonlyArray<WrongStore> = [
  wrong(repeated, "does not look at the key", (right) => ({
    addOnce: (newPet) => Effect.map(right.add(newPet), first)
  })),
  ...[true, false].map((isRepeat) =>
    wrong(repeated, `says of every add that its being a repeat is ${isRepeat}`, (right) => ({
      addOnce: (newPet, once) =>
        Effect.map(right.addOnce(newPet, once), ({ pet }) => ({ pet, isRepeat }))
    }))
  ),
  wrong(repeated, "takes an equal pet for the same", (right, shelf) => ({
    addOnce: (newPet) =>
      Effect.suspend(() => {
        const found = shelf.findLast((pet) => isSame(pet, newPet))
        return found === undefined
          ? Effect.map(right.add(newPet), first)
          : Effect.succeed({ pet: found, isRepeat: true })
      })
  })),
  wrong(repeated, "forgets the key when it is repeated", (right, shelf) => ({
    addOnce: (newPet, once) =>
      Effect.suspend(() => {
        const isKnown = keysOf(shelf).has(once.key)
        return Effect.tap(right.addOnce(newPet, once), () => isKnown && keysOf(shelf).clear())
      })
  })),
  wrong(repeated, "takes a repeat by an earlier clock for another add", (right, shelf) => ({
    addOnce: (newPet, once) =>
      Effect.suspend(() =>
        once.at < (keysOf(shelf).get(once.key)?.at ?? once.at)
          ? Effect.map(right.add(newPet), first)
          : right.addOnce(newPet, once)
      )
  })),
  wrong(others, "gives the other pet with the id of the first", (right) => ({
    addOnce: (newPet, once) =>
      Effect.map(right.addOnce(newPet, once), ({ isRepeat, pet }) => ({
        pet: { ...newPet, id: pet.id },
        isRepeat
      }))
  })),
  wrong(others, "adds the other pet, and gives the first", (right, shelf) => ({
    addOnce: (newPet, once) =>
      Effect.tap(
        right.addOnce(newPet, once),
        ({ isRepeat, pet }) => isRepeat && !isSame(pet, newPet) && add(shelf, newPet)
      )
  })),
  wrong(
    different,
    "ignores case",
    keyed((key) => key.toLowerCase())
  ),
  wrong(
    different,
    "trims",
    keyed((key) => key.trim())
  ),
  wrong(
    different,
    "looks at the first characters",
    keyed((key) => key.slice(0, 100))
  ),
  wrong(
    different,
    "normalises",
    keyed((key) => key.normalize())
  ),
  wrong(forgotten, "keeps keys for ever", (right) => ({
    addOnce: (newPet, once) => right.addOnce(newPet, { ...once, expiredUpTo: 0 })
  })),
  ...[-1, 1].map((millis) =>
    wrong(forgotten, `forgets keys ${millis} ms after they ended`, (right) => ({
      addOnce: (newPet, once) =>
        right.addOnce(newPet, { ...once, expiredUpTo: once.expiredUpTo - millis })
    }))
  ),
  wrong(forgotten, "keeps keys for an hour", (right, shelf) => ({
    addOnce: (newPet, once) =>
      Effect.suspend(() => {
        const keys = keysOf(shelf)
        for (const [key, { at }] of keys) if (at + 3_600_000 <= once.at) keys.delete(key)
        return right.addOnce(newPet, once)
      })
  })),
  wrong(forgotten, "keeps a key until it was not used for a day", (right, shelf) => ({
    addOnce: (newPet, once) =>
      Effect.tap(right.addOnce(newPet, once), ({ pet }) =>
        keysOf(shelf).set(once.key, { pet, at: once.at })
      )
  })),
  wrong(forgotten, "finds the first of two pets that a key was used for", (right) => {
    const firsts = new Map<string, Pet>()
    return {
      addOnce: (newPet, once) =>
        Effect.map(right.addOnce(newPet, once), (added) => {
          const pet = firsts.get(once.key) ?? added.pet
          firsts.set(once.key, pet)
          return added.isRepeat ? { pet, isRepeat: true } : added
        })
    }
  }),
  wrong(atOnce, "keeps the key later", keepsLater),
  wrong(contested, "keeps the key later", keepsLater),
  wrong(interrupted, "keeps the key later", keepsLater),
  wrong(seen, "keeps the key later", keepsLater),
  wrong(seen, "calls both adds a repeat", (right) => ({
    addOnce: (newPet, once) =>
      Effect.map(right.addOnce(newPet, once), ({ pet }) => ({ pet, isRepeat: true }))
  })),
  wrong(durability.keysReopened, "keeps keys in memory", (_, shelf) => ({
    addOnce: addOnceWith(new Map(), (newPet) => add(shelf, newPet))
  })),
  {
    law: durability.abandoned,
    how: "saves its keys when it is closed",
    place: Effect.sync(() => {
      const shelf: Shelf = []
      const opened = Effect.acquireRelease(
        Effect.sync(() => new Map(keysOf(shelf))),
        (keys) =>
          Effect.sync(() => {
            for (const [key, used] of keys) keysOf(shelf).set(key, used)
          })
      )
      return Layer.scoped(
        PetStore,
        Effect.map(opened, (keys) => ({
          ...make(shelf),
          addOnce: addOnceWith(keys, (newPet) => add(shelf, newPet))
        }))
      )
    })
  },
  wrong(durability.keysClosing, "keeps the key later", keepsLater),
  wrong(sharing.atOnce, "keeps keys in memory", (_, shelf) => ({
    addOnce: addOnceWith(new Map(), (newPet) => add(shelf, newPet))
  })),
  wrong(sharing.seen, "keeps the key later", keepsLater),
  wrong(
    randomOperations,
    "takes a repeated key for a new one once there are four pets",
    (right, shelf) => ({
      addOnce: (newPet, once) =>
        shelf.length < 4 ? right.addOnce(newPet, once) : Effect.map(right.add(newPet), first)
    })
  )
]
