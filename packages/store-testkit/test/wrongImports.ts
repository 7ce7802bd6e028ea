/** Stores that are wrong at imports. */
import { type ImportedPet, PetId, PetName } from "@petstore/domain/Pet"
import { IdsTaken, PetNotFound } from "@petstore/domain/PetStore"
import type { Law } from "@petstore/store-testkit/Law"
import {
  concurrentImports,
  failingImports,
  imports,
  randomOperations
} from "@petstore/store-testkit/Laws"
import { Chunk, Effect, Stream } from "effect"
import { make, nextId, type Shelf, type Store, settle, takenOf } from "./RightStore.ts"
import { countingFromOne, type WrongStore, wrong, wrongImport } from "./WrongStore.ts"

/** Changes each pet on its way in. */
const mangling = (law: Law, how: string, mangle: (pet: ImportedPet) => ImportedPet) =>
  wrong(law, how, (right) => ({
    addAll: (pets) =>
      right.addAll(Stream.map(pets, ({ pet, place }) => ({ place, pet: mangle(pet) })))
  }))

/** The right store, but for what it reports of ids that are taken. */
const reporting = (law: Law, how: string, report: (error: IdsTaken, shelf: Shelf) => IdsTaken) =>
  wrong(law, how, (right, shelf) => ({
    addAll: (pets) =>
      Effect.mapError(right.addAll(pets), (error) =>
        error instanceof IdsTaken ? report(error, shelf) : error
      )
  }))

/** The right store, but for what it reads just after an import. */
const lagging = (how: string, lag: (right: Store) => Partial<Store>) =>
  wrong(concurrentImports.whole, how, (right) => {
    let isNew = false
    const reader = () => (isNew ? { ...right, ...lag(right) } : right)
    const set = (value: boolean) =>
      Effect.sync(() => {
        isNew = value
      })
    return {
      addAll: (pets) =>
        right
          .addAll(pets)
          .pipe(
            Effect.zipLeft(set(true)),
            Effect.zipLeft(Effect.repeatN(Effect.yieldNow(), 5)),
            Effect.ensuring(set(false))
          ),
      get: (id) => Effect.suspend(() => reader().get(id)),
      list: (query) => Effect.suspend(() => reader().list(query))
    }
  })

/** Lets pets in by threes, yielding in between. */
const byThrees =
  (shelf: Shelf): Store["addAll"] =>
  (pets) =>
    Effect.gen(function* () {
      const all = Array.from(yield* Stream.runCollect(pets), ({ pet }) => pet)
      for (let at = 0; at < all.length; at += 3) {
        settle(shelf, all.slice(at, at + 3))
        yield* Effect.yieldNow()
      }
      return all.length
    })

/** Lets each piece in as it comes. */
const byPieces =
  (shelf: Shelf): Store["addAll"] =>
  (pets) =>
    Stream.chunks(pets).pipe(
      Stream.runFold(0, (sum, chunk) => {
        settle(
          shelf,
          Array.from(chunk, ({ pet }) => pet)
        )
        return sum + chunk.length
      })
    )

export const wrongImports: ReadonlyArray<WrongStore> = [
  mangling(imports.ids, "gives every imported pet a new id", ({ id: _, ...pet }) => pet),
  mangling(imports.ids, "keeps ids as doubles", (pet) =>
    pet.id === undefined ? pet : { ...pet, id: PetId.make(BigInt(Number(pet.id))) }
  ),
  wrongImport(imports.given, "numbers pets as they come", (shelf, pets) => {
    for (const pet of pets) settle(shelf, [pet])
  }),
  wrong(imports.later, "counts what was added one by one only", countingFromOne),
  mangling(imports.kinds, "trims names", (pet) => ({
    ...pet,
    name: PetName.make(pet.name.trim() || pet.name)
  })),
  mangling(imports.kinds, "has a default", (pet) => ({ status: "available", ...pet })),
  wrongImport(imports.kinds, "keeps whatever comes with a pet", (shelf, pets) => {
    for (const pet of pets) shelf.push({ ...pet, id: pet.id ?? PetId.make(nextId(shelf)) })
  }),
  wrong(imports.pieces, "treats an empty piece as the end", (right) => ({
    addAll: (pets) =>
      right.addAll(Stream.flattenChunks(Stream.takeWhile(Stream.chunks(pets), Chunk.isNonEmpty)))
  })),
  wrong(imports.pieces, "reads one piece only", (right) => ({
    addAll: (pets) => right.addAll(Stream.flattenChunks(Stream.take(Stream.chunks(pets), 1)))
  })),
  wrong(imports.nothing, "treats nothing as one", (right) => ({
    addAll: (pets) => Effect.map(right.addAll(pets), (count) => Math.max(1, count))
  })),
  wrong(imports.lazy, "is eager to import", (right) => ({
    addAll: (pets) => Effect.runSyncExit(right.addAll(pets))
  })),
  wrong(randomOperations, "sorts one pet in, but not two", (_, shelf) => ({
    addAll: (pets) =>
      Effect.gen(function* () {
        const before = [...shelf]
        const count = yield* make(before).addAll(pets)
        const added = before.filter((pet) => !shelf.includes(pet))
        shelf.push(...added)
        if (added.length < 2) shelf.sort((a, b) => (a.id < b.id ? -1 : 1))
        return count
      })
  })),
  wrong(failingImports.taken, "skips them", (right, shelf) => ({
    addAll: (pets) =>
      Effect.flatMap(Stream.runCollect(pets), (all) => {
        const places = new Set(takenOf(shelf, [...all]).map(({ place }) => place))
        return right.addAll(Stream.fromIterable([...all].filter(({ place }) => !places.has(place))))
      })
  })),
  wrong(failingImports.taken, "sees pieces, not the whole", (right) => ({
    addAll: (pets) =>
      Stream.chunks(pets).pipe(
        Stream.mapEffect((chunk) => right.addAll(Stream.fromChunk(chunk))),
        Stream.runSum
      )
  })),
  ...[failingImports.taken, randomOperations].map((law) =>
    reporting(
      law,
      "counts places from zero",
      ({ count, taken }) =>
        new IdsTaken({ count, taken: taken.map(({ id }, place) => ({ id, place })) })
    )
  ),
  reporting(
    failingImports.hundred,
    "counts only those that it reports",
    ({ taken }) => new IdsTaken({ count: taken.length, taken })
  ),
  reporting(
    failingImports.hundred,
    "reports those on the shelf first",
    ({ count, taken }, shelf) => {
      const isOld = ({ id }: { readonly id: bigint }) => shelf.some((pet) => pet.id === id)
      const old = taken.filter(isOld)
      return new IdsTaken({ count, taken: [...old, ...taken.filter((one) => !isOld(one))] })
    }
  ),
  wrong(failingImports.failing, "treats a failure as the end", (right) => ({
    addAll: (pets) => right.addAll(Stream.orElse(pets, () => Stream.empty))
  })),
  ...[failingImports.failing, failingImports.interrupted].map((law) =>
    wrong(law, "keeps what came before", (_, shelf) => ({ addAll: byPieces(shelf) }))
  ),
  wrong(failingImports.interrupted, "remembers the ids that came before", (right) => {
    const ids = new Set<bigint>()
    return {
      addAll: (pets) =>
        right.addAll(
          Stream.mapEffect(pets, (one) => {
            const { pet, place } = one
            if (pet.id === undefined || ids.size < ids.add(pet.id).size) return Effect.succeed(one)
            return new IdsTaken({ taken: [{ place, id: pet.id }], count: 1 })
          })
        )
    }
  }),
  ...[failingImports.stopped, concurrentImports.whole, concurrentImports.walks].map((law) =>
    wrong(law, "lets pets in by threes", (_, shelf) => ({ addAll: byThrees(shelf) }))
  ),
  lagging("lists pets before they can be got", () => ({ get: (id) => new PetNotFound({ id }) })),
  lagging("lists pets before it filters them", (right) => ({
    list: ({ status, ...query }) =>
      right.list(status === undefined ? query : { ...query, status: "pending" })
  })),
  wrong(concurrentImports.together, "writes back what it read before", (_, shelf) => ({
    addAll: (pets) =>
      Effect.gen(function* () {
        const copy = [...shelf]
        const all = Array.from(yield* Stream.runCollect(pets), ({ pet }) => pet)
        yield* Effect.repeatN(Effect.yieldNow(), 3)
        settle(copy, all)
        shelf.splice(0, shelf.length, ...copy)
        return all.length
      })
  })),
  wrong(concurrentImports.rivals, "looks for ids, waits, and lets them in", (_, shelf) => ({
    addAll: (pets) =>
      Effect.gen(function* () {
        const all = Chunk.toReadonlyArray(yield* Stream.runCollect(pets))
        const taken = takenOf(shelf, all)
        if (taken.length > 0) return yield* new IdsTaken({ taken, count: taken.length })
        yield* Effect.yieldNow()
        settle(
          shelf,
          all.map(({ pet }) => pet)
        )
        return all.length
      })
  }))
]
