/** Readers that walk through all pages while writers add pets, through any of several servers. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { add, added, all, call, firstPage, type Pet, page } from "./Calls.ts"

type Pets = ReadonlyArray<Pet>

/** How many there are, and how many pets each writer adds. */
export interface Options {
  readonly writers: number
  readonly readers: number
  readonly writes: number
}

/**
 * Adds pets to an empty store, and follows `next` until all are added. Expects that no pet is lost, duplicated or
 * missed, and that a pet is in every list that is requested after it was acknowledged. Returns how often readers
 * reached the end before the writers did.
 */
export const walkWhileWriting = (
  urls: ReadonlyArray<string>,
  key: string,
  { readers, writers, writes }: Options
): Effect.Effect<{ readonly ends: number }> =>
  Effect.gen(function* () {
    const urlOf = (nth: number) => urls[nth % urls.length] ?? ""
    let isWriting = true
    let acknowledged = 0
    let ends = 0

    const write = (writer: number) =>
      Effect.forEach(numbers(writes), (nth) =>
        Effect.map(add(urlOf(writer), key, `${writer}/${nth}`), (answer) => {
          const pet = added(answer)
          acknowledged = Math.max(acknowledged, pet.id)
          expect(pet.name).toBe(`${writer}/${nth}`)
          return pet
        })
      )

    const walk = (reader: number) =>
      Effect.gen(function* () {
        const met: Array<Pet> = []
        let path = firstPage
        let before = 0
        for (let turn = reader; ; turn++) {
          const isLast = !isWriting
          const atLeast = acknowledged
          const { next, pets } = page(yield* call(urlOf(turn) + path, key))
          // A page that was read already may grow, and changes in no other way.
          const known = met.length - before
          expect(idsOf(pets.slice(0, known)), "a page").toBe(idsOf(met.slice(before)))
          met.push(...pets.slice(known))
          if (next !== undefined) {
            path = next
            before = met.length
          } else {
            expect(met.at(-1)?.id ?? 0, "the last pet").toBeGreaterThanOrEqual(atLeast)
            if (isLast) return met
            ends++
          }
        }
      })

    const writing = Effect.forEach(numbers(writers), write, { concurrency: "unbounded" }).pipe(
      Effect.tap(() => {
        isWriting = false
      })
    )
    const walking = Effect.forEach(numbers(readers), walk, { concurrency: "unbounded" })
    const [written, walks] = yield* Effect.all([writing, walking], { concurrency: "unbounded" })
    const expected = written.flat().sort((one, other) => one.id - other.id)
    expect(new Set(expected.map(({ id }) => id)).size, "distinct ids").toBe(writers * writes)
    for (const met of walks) expectSame(met, expected)
    for (const url of urls) expectSame(yield* all(url, key), expected)
    return { ends }
  })

const idsOf = (pets: Pets) => pets.map(({ id }) => id).join()

const numbers = (count: number) => Array.from({ length: count }, (_, nth) => nth)

/** Names the pets that are missing, since thousands cannot be compared by eye. */
const expectSame = (met: Pets, expected: Pets) => {
  const ids = new Set(met.map(({ id }) => id))
  const missed = expected.filter(({ id }) => !ids.has(id))
  expect(missed, "missed pets").toEqual([])
  expect(met).toEqual(expected)
}
