import { CategoryId, type Pet, PetId, PetName } from "@petstore/domain/Pet"
import { PetNotFound } from "@petstore/domain/PetStore"
import type { Law } from "@petstore/store-testkit/Law"
import { keeping, randomOperations } from "@petstore/store-testkit/Laws"
import { Effect } from "effect"
import { nextId, petOf } from "./RightStore.ts"
import { type WrongStore, wrong, wrongPet } from "./WrongStore.ts"

/** Changes the pet on its way in. */
const mangling = (law: Law, how: string, mangle: (pet: Pet) => Pet): WrongStore =>
  wrongPet(law, how, (newPet, shelf) => mangle(petOf(nextId(shelf), newPet)))

export const wrongAtKeeping: ReadonlyArray<WrongStore> = [
  wrongPet(keeping.idsAscend, "gives every fifth id twice", (newPet, shelf) => {
    const again = shelf.length % 5 === 4 ? shelf.at(-1)?.id : undefined
    return petOf(again ?? nextId(shelf), newPet)
  }),
  wrongPet(keeping.idsAscend, "counts down", (newPet, shelf) =>
    petOf(BigInt(-shelf.length), newPet)
  ),
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
  wrong(keeping.added, "finds pets in lists only", () => ({
    get: (id) => new PetNotFound({ id })
  })),
  mangling(keeping.names, "trims names", (pet) => ({
    ...pet,
    name: PetName.make(pet.name.trim() || pet.name)
  })),
  mangling(keeping.names, "normalises names", (pet) => ({
    ...pet,
    name: PetName.make(pet.name.normalize("NFC"))
  })),
  mangling(keeping.names, "cuts names short", (pet) => ({
    ...pet,
    name: PetName.make(pet.name.slice(0, 999))
  })),
  mangling(keeping.names, "drops a byte order mark", (pet) => ({
    ...pet,
    name: PetName.make(pet.name.replace(/^\ufeff/, ""))
  })),
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
  wrong(keeping.fields, "answers with whatever came with a pet", (right) => ({
    add: (newPet) => Effect.map(right.add(newPet), (pet) => ({ ...newPet, ...pet }))
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
  wrong(keeping.unknown, "looks at half of the id", (right) => ({
    get: (id) => right.get(PetId.make(BigInt.asIntN(32, id)))
  })),
  wrong(keeping.lazy, "is eager to add", (right) => ({
    add: (newPet) => Effect.succeed(Effect.runSync(right.add(newPet)))
  })),
  wrong(keeping.lazy, "is eager to get", (right) => ({
    get: (id) => Effect.runSyncExit(right.get(id))
  }))
]
