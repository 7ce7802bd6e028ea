import { CategoryId, type ImportedPet, PetId, PetName } from "@petstore/domain/Pet"
import { Chunk, Effect, Stream } from "effect"
import { make, nextId, petOf, settle } from "./RightStore.ts"
import { type WrongStore, wrong, wrongImport } from "./WrongStore.ts"

const ids = "an imported pet keeps the id that it brings, wherever that lies"
const given = "imported pets without an id get the next ones after all others, in their order"
const later = "a pet added after an import has a greater id than all of it"
const kinds = "an imported pet is read as it came, and has the fields of a pet and no others"
const pieces = "an import may come in pieces of any size"
const nothing = "an import of nothing adds nothing"
const lazy = "an import acts when it is run, as often as it is run"

/** Changes each pet on its way in. */
const mangling = (law: string, how: string, mangle: (pet: ImportedPet) => ImportedPet) =>
  wrong(law, how, (right) => ({
    addAll: (pets) =>
      right.addAll(Stream.map(pets, ({ pet, place }) => ({ place, pet: mangle(pet) })))
  }))

export const wrongAtImport: ReadonlyArray<WrongStore> = [
  mangling(ids, "gives every imported pet a new id", ({ id: _, ...pet }) => pet),
  mangling(ids, "keeps ids as doubles", (pet) =>
    pet.id === undefined ? pet : { ...pet, id: PetId.make(BigInt(Number(pet.id))) }
  ),
  wrongImport(ids, "puts imported pets at the end", (shelf, pets) => {
    for (const pet of pets) shelf.push(petOf(pet.id ?? nextId(shelf), pet))
  }),
  wrongImport(given, "numbers pets as they come", (shelf, pets) => {
    for (const pet of pets) settle(shelf, [pet])
  }),
  wrongImport(given, "numbers the last first", (shelf, pets) => {
    settle(shelf, pets.toReversed())
  }),
  wrong(later, "counts what was added one by one only", (_, shelf) => {
    let id = 0n
    return {
      add: (newPet) =>
        Effect.sync(() => {
          const pet = petOf(++id, newPet)
          shelf.push(pet)
          return pet
        })
    }
  }),
  mangling(kinds, "trims names", (pet) => ({
    ...pet,
    name: PetName.make(pet.name.trim() || pet.name)
  })),
  mangling(kinds, "keeps integers as doubles", (pet) => ({
    ...pet,
    categoryId: CategoryId.make(BigInt.asIntN(64, BigInt(Number(pet.categoryId))))
  })),
  mangling(kinds, "has a default", (pet) => ({ status: "available", ...pet })),
  wrongImport(kinds, "keeps whatever comes with a pet", (shelf, pets) => {
    for (const pet of pets) shelf.push({ ...pet, id: pet.id ?? PetId.make(nextId(shelf)) })
  }),
  wrongImport(pieces, "loses what comes after the first thousand", (shelf, pets) => {
    settle(shelf, pets.slice(0, 1000))
  }),
  wrong(pieces, "takes an empty piece for the end", (right) => ({
    addAll: (pets) =>
      right.addAll(Stream.flattenChunks(Stream.takeWhile(Stream.chunks(pets), Chunk.isNonEmpty)))
  })),
  wrong(pieces, "reads one piece only", (right) => ({
    addAll: (pets) => right.addAll(Stream.flattenChunks(Stream.take(Stream.chunks(pets), 1)))
  })),
  wrong(nothing, "takes nothing for one", (right) => ({
    addAll: (pets) => Effect.map(right.addAll(pets), (count) => Math.max(1, count))
  })),
  wrong(nothing, "takes nothing for the end of everything", (right, shelf) => ({
    addAll: (pets) =>
      Effect.tap(right.addAll(pets), (count) => {
        if (count === 0) shelf.length = 0
      })
  })),
  wrong(lazy, "is eager to import", (right) => ({
    addAll: (pets) => Effect.runSyncExit(right.addAll(pets))
  })),
  wrong(
    "random operations are answered as by a plain array",
    "sorts one pet in, but not two",
    (_, shelf) => ({
      addAll: (pets) =>
        Effect.gen(function* () {
          const before = [...shelf]
          const count = yield* make(before).addAll(pets)
          const added = before.filter((pet) => !shelf.includes(pet))
          shelf.push(...added)
          if (added.length < 2) shelf.sort((a, b) => (a.id < b.id ? -1 : 1))
          return count
        })
    })
  )
]
