import { CategoryId, type ImportedPet, PetId, PetName } from "@petstore/domain/Pet"
import type { Law } from "@petstore/store-testkit/Law"
import { imports, randomOperations } from "@petstore/store-testkit/Laws"
import { Chunk, Effect, Stream } from "effect"
import { make, nextId, petOf, settle } from "./RightStore.ts"
import { countingFromOne, type WrongStore, wrong, wrongImport } from "./WrongStore.ts"

/** Changes each pet on its way in. */
const mangling = (law: Law, how: string, mangle: (pet: ImportedPet) => ImportedPet) =>
  wrong(law, how, (right) => ({
    addAll: (pets) =>
      right.addAll(Stream.map(pets, ({ pet, place }) => ({ place, pet: mangle(pet) })))
  }))

export const wrongAtImport: ReadonlyArray<WrongStore> = [
  mangling(imports.ids, "gives every imported pet a new id", ({ id: _, ...pet }) => pet),
  mangling(imports.ids, "keeps ids as doubles", (pet) =>
    pet.id === undefined ? pet : { ...pet, id: PetId.make(BigInt(Number(pet.id))) }
  ),
  wrongImport(imports.ids, "puts imported pets at the end", (shelf, pets) => {
    for (const pet of pets) shelf.push(petOf(pet.id ?? nextId(shelf), pet))
  }),
  wrongImport(imports.given, "numbers pets as they come", (shelf, pets) => {
    for (const pet of pets) settle(shelf, [pet])
  }),
  wrongImport(imports.given, "numbers the last first", (shelf, pets) => {
    settle(shelf, pets.toReversed())
  }),
  wrong(imports.later, "counts what was added one by one only", countingFromOne),
  mangling(imports.kinds, "trims names", (pet) => ({
    ...pet,
    name: PetName.make(pet.name.trim() || pet.name)
  })),
  mangling(imports.kinds, "keeps integers as doubles", (pet) => ({
    ...pet,
    categoryId: CategoryId.make(BigInt.asIntN(64, BigInt(Number(pet.categoryId))))
  })),
  mangling(imports.kinds, "has a default", (pet) => ({ status: "available", ...pet })),
  wrongImport(imports.kinds, "keeps whatever comes with a pet", (shelf, pets) => {
    for (const pet of pets) shelf.push({ ...pet, id: pet.id ?? PetId.make(nextId(shelf)) })
  }),
  wrongImport(imports.pieces, "loses what comes after the first thousand", (shelf, pets) => {
    settle(shelf, pets.slice(0, 1000))
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
  wrong(imports.nothing, "treats nothing as the end of everything", (right, shelf) => ({
    addAll: (pets) =>
      Effect.tap(right.addAll(pets), (count) => {
        if (count === 0) shelf.length = 0
      })
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
  }))
]
