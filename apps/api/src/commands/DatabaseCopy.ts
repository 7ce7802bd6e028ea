/** Copies a catalogue from one store to another, and compares the two. */
import { createHash } from "node:crypto"
import { ApiKey, merged } from "@petstore/access/ApiKey"
import type { ApiKeyStore } from "@petstore/access/ApiKeyStore"
import { type Pet, PetId } from "@petstore/domain/Pet"
import { PageLimit, type PetPage } from "@petstore/domain/PetPage"
import type { PetStore } from "@petstore/domain/PetStore"
import * as Int64 from "@petstore/kernel/Int64"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type CommandFailed, failed } from "../cli/CommandFailed.ts"
import type { DurableDatabase } from "../databases/Database.ts"
import { formats } from "../petFiles/Formats.ts"

/** A database that is copied from or to, while it is open. */
export interface Side {
  readonly database: Pick<DurableDatabase, "lastAssigned" | "raiseLastAssigned">
  readonly pets: Pick<PetStore["Type"], "list" | "addAll">
  readonly keys: Pick<ApiKeyStore["Type"], "list" | "merge">
  /** What failed, and what to do about it. */
  readonly explain: (error: StoreUnavailable) => CommandFailed
}

/** The target has something else than the source. */
const differs = (how: string) =>
  failed(`${how}: copy to an empty database, and let no server write to it`)

const list = (side: Side, after: PetId, limit = 100): Effect.Effect<PetPage, CommandFailed> =>
  Effect.mapError(side.pets.list({ limit: PageLimit.make(limit), after }), side.explain)

const petsAtOnce = 10_000

/** The greatest id in a store; 0 if it is empty. */
const lastId = Effect.fnUntraced(function* (side: Side) {
  let low = 0n
  let high = Int64.max
  while (low < high) {
    const middle = low + (high - low) / 2n
    const { pets } = yield* list(side, PetId.make(middle), 1)
    if (pets[0] === undefined) high = middle
    else low = pets[0].id
  }
  return PetId.make(low)
})

export interface Options {
  /** Whether to copy and compare only pets after the last one of the target. */
  readonly isQuick: boolean
  /** Told the fraction of the ids that is copied and compared, and how many pets are. */
  readonly onProgress: (done: number, count: number) => void
}

/**
 * Adds the pets that the target lacks, or fails if the target has pets after the last one of the source, and compares
 * all of them as both stores return them. Commits every few thousand pets, so that a copy that was interrupted can go
 * on. The digest is that of an export as NDJSON. In the end the target assigns no id that the source has assigned.
 */
export const copyPets = Effect.fnUntraced(function* (from: Side, to: Side, options: Options) {
  const { isQuick, onProgress } = options
  const end = yield* lastId(from)
  const targetEnd = yield* lastId(to)
  const start = isQuick ? targetEnd : PetId.make(0n)
  const hasMore = targetEnd > end
  const digest = createHash("sha256")
  let count = 0
  let added = 0
  let after = start
  let pets = yield* read(from, after)
  for (let last = pets.at(-1); last !== undefined; last = pets.at(-1)) {
    const missing = yield* missingFrom(to, after, last.id, pets)
    const [lacking] = missing
    if (lacking !== undefined && hasMore) {
      return yield* differs(`TO has pets after the last one of FROM, but not pet ${lacking.id}`)
    }
    if (missing.length > 0) {
      yield* add(to, missing)
      const [lost] = yield* missingFrom(to, after, last.id, pets)
      if (lost !== undefined) return yield* onlyOneHas(lost.id)
    }
    for (const pet of pets) digest.update(textOf(pet))
    count += pets.length
    added += missing.length
    after = last.id
    onProgress(Number(after - start) / Number(end - start), count)
    pets = yield* read(from, after)
  }
  const assigned = yield* Effect.mapError(from.database.lastAssigned, from.explain)
  yield* Effect.mapError(to.database.raiseLastAssigned(assigned), to.explain)
  return { added, count, digest: digest.digest("hex"), start, hasMore }
})

/** The next pets after an id, up to another one, as many as fit in memory. */
const read = (side: Side, after: PetId, last = PetId.make(Int64.max)) =>
  Stream.paginateChunkEffect(after, (after) =>
    Effect.map(list(side, after), ({ next, pets }) => [Chunk.unsafeFromArray(pets), next])
  ).pipe(
    Stream.takeWhile(({ id }) => id <= last),
    Stream.take(petsAtOnce),
    Stream.runCollect,
    Effect.map((pets): ReadonlyArray<Pet> => Chunk.toReadonlyArray(pets))
  )

const textOf = formats.ndjson.write

/** Those of the pets between two ids that the target lacks. Fails if it has any other between them. */
const missingFrom = Effect.fnUntraced(function* (
  side: Side,
  after: PetId,
  last: PetId,
  pets: ReadonlyArray<Pet>
) {
  const missing = new Map(pets.map((pet) => [pet.id, pet]))
  for (const copy of yield* read(side, after, last)) {
    const pet = missing.get(copy.id)
    if (pet === undefined) return yield* onlyOneHas(copy.id)
    if (textOf(pet) !== textOf(copy)) {
      return yield* differs(`pet ${pet.id} is not the same in both`)
    }
    missing.delete(pet.id)
  }
  return Array.from(missing.values())
})

const onlyOneHas = (id: PetId) => differs(`only one of the two has pet ${id}`)

const add = (side: Side, pets: ReadonlyArray<Pet>) =>
  Effect.catchTags(
    side.pets.addAll(Stream.fromIterable(pets.map((pet, place) => ({ place, pet })))),
    {
      StoreUnavailable: side.explain,
      IdsTaken: ({ taken }) => differs(`another program has added pet ${taken[0]?.id}`)
    }
  )

/** Copies the keys that have changed, and counts them. What ended a key in either store has ended it in the target. */
export const copyKeys = Effect.fnUntraced(function* (from: Side, to: Side) {
  const keys = yield* Effect.mapError(from.keys.list, from.explain)
  const unknown = Effect.map(to.keys.list, (copies) => {
    const copied = new Map(copies.map((key) => [key.id, key]))
    return keys.filter((key) => !isKnown(key, copied.get(key.id)))
  }).pipe(Effect.mapError(to.explain))
  const changed = yield* unknown
  yield* Effect.mapError(Effect.forEach(changed, to.keys.merge, { discard: true }), to.explain)
  const [lost] = yield* unknown
  if (lost !== undefined) return yield* differs(`key ${lost.id} is not the same in both`)
  return changed.length
})

const isSame = Schema.equivalence(ApiKey)

/** Whether a key is there with everything that is known about it. */
const isKnown = (key: ApiKey, copy: ApiKey | undefined): boolean =>
  copy !== undefined && isSame(merged(key, copy), copy)
