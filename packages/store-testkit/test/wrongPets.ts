/** Stores that are wrong at keeping pets and at giving them. */
import { filters, filtersOf, keyOf } from "@petstore/domain/ListPets"
import { CategoryId, isSame, type Pet, PetId, PetName } from "@petstore/domain/Pet"
import { PageLimit, type PetPage } from "@petstore/domain/PetPage"
import { PetNotFound, PetStore } from "@petstore/domain/PetStore"
import * as Int64 from "@petstore/kernel/Int64"
import { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import type { Law } from "@petstore/store-testkit/Law"
import {
  concurrency,
  durability,
  idempotency,
  keeping,
  lastId,
  paging,
  randomOperations,
  sharing
} from "@petstore/store-testkit/Laws"
import { Array as Arr, Effect, Layer, Option, Stream, Struct } from "effect"
import {
  add,
  addOnceWith,
  keysOf,
  make,
  nextId,
  petOf,
  type Shelf,
  type Store,
  settle
} from "./RightStore.ts"
import { addingAgain, type WrongStore, wrong, wrongPet } from "./WrongStore.ts"

/** Changes the pet on its way in. */
const mangling = (law: Law, how: string, mangle: (pet: Pet) => Pet): WrongStore =>
  wrongPet(law, how, (newPet, shelf) => mangle(petOf(nextId(shelf), newPet)))

/** Changes the name on its way in. */
const renaming = (how: string, rename: (name: string) => string) =>
  mangling(keeping.names, how, (pet) => ({ ...pet, name: PetName.make(rename(pet.name)) }))

/** Shows no pets on the first page that has any, of whichever store is opened. */
const wrongOnce = () => {
  let isRight = false
  return wrong(randomOperations, "is wrong once, and never again", (right) => ({
    list: (query) =>
      Effect.map(right.list(query), (page) => {
        if (isRight || page.pets.length === 0) return page
        isRight = true
        return { pets: [], next: Option.none() }
      })
  }))
}

/** A store whose keys are changed before it looks at them. */
const keyed = (how: string, change: (key: string) => string) =>
  wrong(idempotency.different, how, (right) => ({
    addOnce: (newPet, once) => right.addOnce(newPet, { ...once, key: change(once.key) })
  }))

/** Adds the pet, waits, and keeps the key, so that a pet may be there without its key. */
const keepsLater = (_: Store, shelf: Shelf): Partial<Store> => ({
  addOnce: addOnceWith(keysOf(shelf), (newPet) =>
    Effect.zipLeft(add(shelf, newPet), Effect.repeatN(Effect.yieldNow(), 5))
  )
})

const first = (pet: Pet) => ({ pet, isRepeat: false })

const { atOnce, contested, forgotten, interrupted, others, repeated, seen } = idempotency

export const wrongPets: ReadonlyArray<WrongStore> = [
  wrongPet(keeping.idsAscend, "gives every fifth id twice", (newPet, shelf) => {
    const again = shelf.length % 5 === 4 ? shelf.at(-1)?.id : undefined
    return petOf(again ?? nextId(shelf), newPet)
  }),
  wrongPet(keeping.idsAscend, "gives ids that are no bigint", (newPet, shelf) => ({
    ...petOf(0n, newPet),
    id: shelf.length as never
  })),
  wrong(keeping.added, "loses every tenth pet", (right, shelf) => {
    let count = 0
    return {
      add: (newPet) =>
        Effect.tap(right.add(newPet), () => {
          if (++count % 10 === 0) shelf.splice(-2, 1)
        })
    }
  }),
  wrong(keeping.added, "answers with a default that it does not keep", (right) => ({
    add: (newPet) => Effect.map(right.add(newPet), (pet) => ({ status: "available", ...pet }))
  })),
  renaming("normalises names", (name) => name.normalize("NFC")),
  renaming("cuts names short", (name) => name.slice(0, 999)),
  renaming("drops a byte order mark", (name) => name.replace(/^\ufeff/, "")),
  mangling(keeping.categories, "keeps integers as doubles", (pet) => ({
    ...pet,
    categoryId: CategoryId.make(BigInt.asIntN(64, BigInt(Number(pet.categoryId))))
  })),
  mangling(keeping.statuses, "has a default", (pet) => ({ status: "available", ...pet })),
  mangling(keeping.statuses, "keeps an empty key", (pet) =>
    Object.defineProperty({ ...pet }, "status", { value: pet.status, enumerable: true })
  ),
  wrongPet(keeping.fields, "lets the adder choose the id", (newPet, shelf) => ({
    ...petOf(nextId(shelf), newPet),
    ...newPet
  })),
  wrongPet(keeping.fields, "keeps whatever comes with a pet", (newPet, shelf) => ({
    ...newPet,
    id: PetId.make(nextId(shelf))
  })),
  wrongPet(keeping.copies, "keeps the adder's object", (newPet, shelf) =>
    Object.assign(newPet, { id: PetId.make(nextId(shelf)) })
  ),
  ...[keeping.unknown, randomOperations].map((law) =>
    wrong(law, "finds the nearest pet", (_, shelf) => ({
      get: (id) =>
        Effect.suspend(() => {
          const pet = shelf.find((pet) => pet.id >= id)
          return pet === undefined ? new PetNotFound({ id }) : Effect.succeed(pet)
        })
    }))
  ),
  wrong(keeping.unknown, "reports another id than the missing one", (right) => ({
    get: (id) => Effect.mapError(right.get(id), () => new PetNotFound({ id: PetId.make(0n) }))
  })),
  wrong(keeping.lazy, "is eager to add", (right) => ({
    add: (newPet) => Effect.succeed(Effect.runSync(right.add(newPet)))
  })),
  wrong(keeping.lazy, "is eager to get", (right) => ({
    get: (id) => Effect.runSyncExit(right.get(id))
  })),
  wrong(paging.pages, "shows the newest first", (right) => ({
    list: (query) =>
      Effect.map(right.list(query), ({ next, pets }) => ({ pets: pets.toReversed(), next }))
  })),
  wrong(paging.pages, "repeats the pet at the cursor", (right) => ({
    list: ({ after, ...query }) =>
      right.list(after === undefined ? query : { ...query, after: PetId.make(after - 1n) })
  })),
  wrong(paging.pages, "shows 99 of 100", (right) => ({
    list: (query) => right.list({ ...query, limit: PageLimit.make(Math.min(query.limit, 99)) })
  })),
  wrong(paging.next, "gives a next after an exactly full last page", (right) => ({
    list: (query) =>
      Effect.map(right.list(query), ({ pets }) => ({
        pets,
        next: Option.map(
          Option.filter(Arr.last(pets), () => pets.length === query.limit),
          (pet) => pet.id
        )
      }))
  })),
  wrong(paging.next, "ends when one pet is left", (right) => ({
    list: (query) =>
      Effect.gen(function* () {
        const page = yield* right.list(query)
        if (Option.isNone(page.next)) return page
        const rest = yield* right.list({ ...query, after: page.next.value })
        return rest.pets.length === 1 ? { ...page, next: Option.none() } : page
      })
  })),
  wrong(paging.filtered, "shows pets without one in every filtered list", (right) => ({
    list: ({ status, ...query }) =>
      Effect.map(right.list(query), ({ next, pets }) => ({
        pets: pets.filter((pet) => status === undefined || (pet.status ?? status) === status),
        next
      }))
  })),
  ...filters.map((name) =>
    wrong(paging.filtered, `forgets the filter ${name}`, (right) => ({
      list: (query) => right.list(Struct.omit(query, name))
    }))
  ),
  ...filters.map((name) =>
    wrong(paging.pages, `caches pages by keys without ${name}`, (right, shelf) => {
      const pages = new Map<string, PetPage>()
      return {
        list: (query) =>
          Effect.gen(function* () {
            const key = `${shelf.length} ${keyOf(Struct.omit(query, name))}`
            const page = pages.get(key) ?? (yield* right.list(query))
            pages.set(key, page)
            return page
          })
      }
    })
  ),
  wrong(paging.whole, "knows one page only", (right) => ({
    list: ({ after: _, ...query }) => right.list(query)
  })),
  wrong(paging.cursors, "looks the cursor up in the list", (right) => ({
    list: ({ after, ...query }) =>
      Effect.gen(function* () {
        const all = yield* right.list({ ...query, limit: PageLimit.make(100) })
        const isThere = all.pets.some((pet) => pet.id === after)
        return yield* right.list(after !== undefined && isThere ? { ...query, after } : query)
      })
  })),
  wrong(paging.values, "hands out its own array", (right, shelf) => ({
    list: (query) =>
      Effect.map(right.list(query), (page) =>
        page.pets.length === shelf.length ? { pets: shelf, next: Option.none() } : page
      )
  })),
  wrongOnce(),
  wrong(randomOperations, "cannot count to four", (right) => ({
    list: (query) =>
      Effect.map(right.list(query), (page) =>
        query.limit === 4 && filtersOf(query).length > 0
          ? { pets: page.pets.slice(1), next: Option.none() }
          : page
      )
  })),
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
  wrong(concurrency.interrupted, "takes back the wrong pet", (right, shelf) => ({
    add: (newPet) =>
      Effect.zipLeft(right.add(newPet), Effect.repeatN(Effect.yieldNow(), 3)).pipe(
        Effect.onInterrupt(() => Effect.sync(() => shelf.pop()))
      )
  })),
  wrong(concurrency.interrupted, "adds a pet again", addingAgain),
  ...(
    [
      ["starts again when no id is left", 500n],
      ["continues beyond 64 bits", Int64.max + 1n]
    ] as const
  ).map(([how, id]) =>
    wrong(lastId.full, how, (right, shelf) => ({
      add: (newPet) =>
        Effect.catchAll(right.add(newPet), () =>
          Effect.sync(() => {
            const pet = { ...petOf(0n, newPet), id: PetId.make(id, true) }
            shelf.push(pet)
            return pet
          })
        )
    }))
  ),
  wrong(lastId.full, "starts again for an add with a key", (right) => ({
    addOnce: (newPet, once) =>
      Effect.catchAll(right.addOnce(newPet, once), () =>
        Effect.succeed({ pet: petOf(500n, newPet), isRepeat: false })
      )
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
  ),
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
  keyed("ignores case", (key) => key.toLowerCase()),
  keyed("looks at the first characters", (key) => key.slice(0, 100)),
  keyed("normalises", (key) => key.normalize()),
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
  ...[atOnce, contested, interrupted, seen, durability.keysClosing, sharing.seen].map((law) =>
    wrong(law, "keeps the key later", keepsLater)
  ),
  wrong(seen, "calls both adds a repeat", (right) => ({
    addOnce: (newPet, once) =>
      Effect.map(right.addOnce(newPet, once), ({ pet }) => ({ pet, isRepeat: true }))
  })),
  ...[durability.keysReopened, sharing.atOnce].map((law) =>
    wrong(law, "keeps keys in memory", (_, shelf) => ({
      addOnce: addOnceWith(new Map(), (newPet) => add(shelf, newPet))
    }))
  ),
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
  wrong(
    randomOperations,
    "takes a repeated key for a new one once there are four pets",
    (right, shelf) => ({
      addOnce: (newPet, once) =>
        shelf.length < 4 ? right.addOnce(newPet, once) : Effect.map(right.add(newPet), first)
    })
  )
]
