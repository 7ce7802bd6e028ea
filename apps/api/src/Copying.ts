/** Copies a catalogue from one store to another, and compares the two. */
import { createHash } from "node:crypto"
import { ApiKey, merged } from "@petstore/access/ApiKey"
import * as Int64 from "@petstore/domain/Int64"
import { type Pet, PetId } from "@petstore/domain/Pet"
import { type ListPets, PageLimit, type PetPage } from "@petstore/domain/PetPage"
import { type Arrival, IdsTaken } from "@petstore/domain/PetStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { failed } from "./CommandFailed.ts"
import { formats } from "./petFiles/Formats.ts"

/** A store that is copied from or to. */
export interface Side<E> {
  readonly list: (query: ListPets) => Effect.Effect<PetPage, E>
  readonly keys: Effect.Effect<ReadonlyArray<ApiKey>, E>
  /** The greatest id that was ever assigned, also to a pet that is gone; 0 for none. */
  readonly lastAssigned: Effect.Effect<PetId, E>
  readonly addAll: (pets: Stream.Stream<Arrival>) => Effect.Effect<number, E | IdsTaken>
  readonly mergeKey: (key: ApiKey) => Effect.Effect<boolean, E>
  /** Assigns no id up to this one any more. */
  readonly raiseLastAssigned: (id: PetId) => Effect.Effect<void, E>
}

/** The target has something else than the source. */
const differs = (how: string) =>
  failed(`${how}: copy to an empty database, and let no server write to it`)

const pageLimit = PageLimit.make(100)
const petsAtOnce = 10_000
const charactersAtOnce = 8 * 1024 * 1024

/** The greatest id in a store; 0 if it is empty. */
export const lastId = <E>(store: Side<E>): Effect.Effect<PetId, E> =>
  Effect.gen(function* () {
    let low = 0n
    let high = Int64.max
    while (low < high) {
      const middle = low + (high - low) / 2n
      const page = yield* store.list({ limit: PageLimit.make(1), after: PetId.make(middle) })
      const [pet] = page.pets
      if (pet === undefined) high = middle
      else low = pet.id
    }
    return PetId.make(low)
  })

/** What to copy: the pets after an id. */
export interface Options<E> {
  readonly from: Side<E>
  readonly to: Side<E>
  readonly after: PetId
  /** Whether to add what is missing, or to fail. */
  readonly addsMissing: boolean
  /** Told the last id that is copied and compared. */
  readonly onProgress: (id: PetId) => void
}

/**
 * Adds the pets that the target lacks, and compares all of them as both stores return them. Commits every few
 * thousand pets, so that a copy that was interrupted can go on. The digest is that of an export as NDJSON. In the end
 * the target assigns no id that the source has assigned.
 */
export const copyPets = <E>({ addsMissing, after, from, onProgress, to }: Options<E>) =>
  Effect.gen(function* () {
    const digest = createHash("sha256")
    let count = 0
    let added = 0
    let next = Option.some(after)
    while (Option.isSome(next)) {
      const after = next.value
      const source = yield* read(from, after)
      const last = source.pets.at(-1)
      if (last === undefined) break
      const findMissing = Effect.map(compare(to, after, last.id, source.lines), (found) =>
        source.pets.filter(({ id }) => !found.has(id))
      )
      const missing = yield* findMissing
      const [lacking] = missing
      if (lacking !== undefined && !addsMissing) {
        return yield* differs(`TO has pets after the last one of FROM, but not pet ${lacking.id}`)
      }
      if (missing.length > 0) {
        yield* add(to, missing)
        const [lost] = yield* findMissing
        if (lost !== undefined) return yield* onlyOneHas(lost.id)
      }
      for (const line of source.lines.values()) digest.update(line)
      count += source.lines.size
      added += missing.length
      next = source.next
      onProgress(last.id)
    }
    yield* to.raiseLastAssigned(yield* from.lastAssigned)
    return { added, count, digest: digest.digest("hex") }
  })

/** Reads pets, as many as fit in memory, with the text of each; `next` is there if the source has more. */
const read = <E>(store: Side<E>, after: PetId) =>
  Effect.gen(function* () {
    const pets: Array<Pet> = []
    const lines = new Map<PetId, string>()
    let length = 0
    let next = Option.some(after)
    while (Option.isSome(next) && pets.length < petsAtOnce && length < charactersAtOnce) {
      const page: PetPage = yield* store.list({ limit: pageLimit, after: next.value })
      for (const pet of page.pets) {
        const line = formats.ndjson.write(pet)
        pets.push(pet)
        lines.set(pet.id, line)
        length += line.length
      }
      next = page.next
    }
    return { pets, lines, next }
  })

/** The ids of the target's pets in this range. Fails unless the source has the same. */
const compare = <E>(
  store: Side<E>,
  after: PetId,
  until: PetId,
  lines: ReadonlyMap<PetId, string>
) =>
  Effect.gen(function* () {
    const found = new Set<PetId>()
    let next = Option.some(after)
    while (Option.isSome(next) && next.value < until) {
      const page: PetPage = yield* store.list({ limit: pageLimit, after: next.value })
      for (const pet of page.pets) {
        if (pet.id > until) break
        const line = lines.get(pet.id)
        if (line === undefined) return yield* onlyOneHas(pet.id)
        if (line !== formats.ndjson.write(pet))
          return yield* differs(`pet ${pet.id} is not the same in both`)
        found.add(pet.id)
      }
      next = page.next
    }
    return found
  })

const onlyOneHas = (id: PetId) => differs(`only one of the two has pet ${id}`)

const add = <E>(store: Side<E>, pets: ReadonlyArray<Pet>) =>
  Effect.mapError(
    store.addAll(Stream.fromIterable(pets.map((pet, place) => ({ place, pet })))),
    (error) =>
      error instanceof IdsTaken
        ? differs(`another program has added pet ${error.taken[0]?.id}`)
        : error
  )

/** Copies all keys. What ended a key in either store has ended it in the target. */
export const copyKeys = <E>(from: Side<E>, to: Side<E>) =>
  Effect.gen(function* () {
    const keys = yield* from.keys
    yield* Effect.forEach(keys, to.mergeKey, { discard: true })
    const copied = new Map((yield* to.keys).map((key) => [key.id, key]))
    for (const key of keys) {
      if (!isKnown(key, copied.get(key.id)))
        return yield* differs(`key ${key.id} is not the same in both`)
    }
    return keys.length
  })

const isSame = Schema.equivalence(ApiKey)

/** Whether a key is there with everything that is known about it. */
const isKnown = (key: ApiKey, copy: ApiKey | undefined): boolean =>
  copy !== undefined && isSame(merged(copy, key), copy)
