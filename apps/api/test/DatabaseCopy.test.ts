import { describe, expect } from "@effect/vitest"
import { type ApiKey, Instant, KeyDigest, KeyId, KeyName } from "@petstore/access/ApiKey"
import { CategoryId, Pet, PetId } from "@petstore/domain/Pet"
import { IdsTaken } from "@petstore/domain/PetStore"
import * as MemoryApiKeyStore from "@petstore/store-memory/MemoryApiKeyStore"
import * as MemoryPetStore from "@petstore/store-memory/MemoryPetStore"
import { Effect, Ref, Schema, Stream } from "effect"
import * as DatabaseCopy from "../src/commands/DatabaseCopy.ts"
import { live } from "./support/Folder.ts"

const pet = (id: number, name = `pet ${id}`): Pet => ({
  id: PetId.make(BigInt(id)),
  // Of any length: the limit is for new pets.
  name: Schema.decodeUnknownSync(Pet.fields.name)(name),
  categoryId: CategoryId.make(1n)
})

const storeOf = (given: ReadonlyArray<Pet>) =>
  Effect.gen(function* () {
    const pets = yield* MemoryPetStore.make
    const keys = yield* MemoryApiKeyStore.make
    yield* pets.addAll(Stream.fromIterable(given.map((one, place) => ({ place, pet: one }))))
    const assigned = yield* Ref.make(PetId.make(0n))
    const raiseLastAssigned = (id: PetId) => Ref.set(assigned, id)
    const explain = (error: Error): never => {
      throw error
    }
    return { database: { lastAssigned: Ref.get(assigned), raiseLastAssigned }, pets, keys, explain }
  })

const copy = (source: ReadonlyArray<Pet>, target: ReadonlyArray<Pet>) =>
  Effect.gen(function* () {
    const from = yield* storeOf(source)
    const to = yield* storeOf(target)
    yield* from.database.raiseLastAssigned(PetId.make(20_000n))
    const copying = DatabaseCopy.copyPets(from, to, { isQuick: false, onProgress: () => {} })
    const { added, count, digest } = yield* copying
    // Nothing is left to copy.
    expect(yield* copying).toMatchObject({ added: 0, count, digest })
    expect(yield* to.database.lastAssigned).toBe(20_000n)
    // A later pet was added and erased.
    yield* from.database.raiseLastAssigned(PetId.make(20_001n))
    expect(yield* copying).toMatchObject({ added: 0 })
    expect(yield* to.database.lastAssigned).toBe(20_001n)
    return { added, count }
  })

live("copying fills gaps, in batches, and carries the last id that was assigned", function* () {
  const pets = Array.from({ length: 10_100 }, (_, nth) => pet(nth + 1))
  const target = pets.filter(({ id }) => id !== 50n && id <= 10_050n)
  expect(yield* copy(pets, target)).toEqual({ added: 51, count: 10_100 })
})

live("copying pets quickly is about those after the last one of the target", function* () {
  const [from, to] = [yield* storeOf([pet(1), pet(2), pet(3)]), yield* storeOf([pet(1), pet(2)])]
  const progress: Array<unknown> = []
  const onProgress = (...told: ReadonlyArray<number>) => progress.push(told)
  const copied = yield* DatabaseCopy.copyPets(from, to, { isQuick: true, onProgress })
  expect(copied).toMatchObject({ added: 1, count: 1, start: 2n })
  expect(progress).toEqual([[1, 1]])
})

live("copying pets fails if the target does not have what it was given", function* () {
  const [from, to] = [yield* storeOf([pet(1)]), yield* storeOf([])]
  const losing = { ...to, pets: { ...to.pets, addAll: () => Effect.succeed(1) } }
  const options = { isQuick: false, onProgress: () => {} }
  expect(yield* Effect.flip(DatabaseCopy.copyPets(from, losing, options))).toMatchObject({
    message: expect.stringMatching(/^only one of the two has pet 1: /)
  })
  const taken = Effect.fail(new IdsTaken({ taken: [{ place: 0, id: PetId.make(7n) }], count: 1 }))
  const contested = { ...to, pets: { ...to.pets, addAll: () => taken } }
  expect(yield* Effect.flip(DatabaseCopy.copyPets(from, contested, options))).toMatchObject({
    message: expect.stringMatching(/^another program has added pet 7: /)
  })
})

describe("copying keys", () => {
  const key: ApiKey = {
    id: KeyId.make("0123456789"),
    name: KeyName.make("ci"),
    digest: KeyDigest.make("1".repeat(64)),
    scopes: ["pets:read"],
    created: Instant.make(0)
  }

  live("carries a later revocation, and copies nothing twice", function* () {
    const [from, to] = [yield* storeOf([]), yield* storeOf([])]
    yield* from.keys.add(key)
    expect(yield* DatabaseCopy.copyKeys(from, to)).toBe(1)
    expect(yield* DatabaseCopy.copyKeys(from, to)).toBe(0)
    yield* from.keys.revoke(key.id, Instant.make(1))
    expect(yield* DatabaseCopy.copyKeys(from, to)).toBe(1)
    expect(yield* to.keys.list).toEqual([{ ...key, revoked: 1 }])
  })

  live("fails if the target has another key with its id", function* () {
    const [from, to] = [yield* storeOf([]), yield* storeOf([])]
    yield* from.keys.add(key)
    yield* to.keys.add({ ...key, digest: KeyDigest.make("2".repeat(64)) })
    expect(yield* Effect.flip(DatabaseCopy.copyKeys(from, to))).toMatchObject({
      message: expect.stringMatching(/^key 0123456789 is not the same in both: /)
    })
  })
})
