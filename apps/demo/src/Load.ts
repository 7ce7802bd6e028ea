/** Callers that add and list pets, one request after the other. */
import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { firstPage, headers, Pet, page } from "./Catalogue.ts"
import * as Http from "./Http.ts"

/** The longest answer, and for each kind of request the longest time without a success, in milliseconds. */
export interface Lap {
  longest: number
  readonly adds: { last: number; gap: number }
  readonly lists: { last: number; gap: number }
}

/** What the callers have seen. */
export interface Load {
  /** Every pet whose add was answered with success. */
  readonly acknowledged: Array<Pet>
  /** Every pet that a reader has seen, by its id. */
  readonly seen: ReadonlyMap<number, Pet>
  /** The ids that each reader has seen, in this order. */
  readonly walks: ReadonlyArray<ReadonlyArray<number>>
  /** How many adds and lists failed. A pet whose add failed may or may not be there. */
  readonly failed: { adds: number; lists: number }
  /** How many lists lacked a pet that was acknowledged before they were requested. */
  readonly stale: () => number
  /** The times since the last lap, which it forgets. */
  readonly lap: () => Lap
  /** Waits for the requests that are under way, and sends no more. */
  readonly stop: Effect.Effect<void>
}

const readers = 8
const pause = "20 millis"

const decodePet = Schema.decodeUnknownSync(Schema.parseJson(Pet))

/** Starts callers of the service at this port. Every second writer repeats an add that failed, with its idempotency key. */
export const make = (port: number, writers: number): Effect.Effect<Load, never, Scope.Scope> =>
  Effect.gen(function* () {
    const acknowledged: Array<Pet> = []
    const seen = new Map<number, Pet>()
    const failed = { adds: 0, lists: 0 }
    let last = 0
    let stale = 0
    let isOver = false
    let names = 0
    let lap = newLap()

    const writer = (isRepeating: boolean) => {
      let repeated: { readonly body: Buffer; readonly key: string } | undefined
      return async () => {
        const body = Buffer.from(JSON.stringify({ name: `Pet ${++names}`, categoryId: names }))
        const sent = repeated ?? { body, key: randomUUID() }
        if (isRepeating) repeated = sent
        const response = await Http.send(port, {
          method: "POST",
          path: "/v1/pets",
          headers: {
            ...headers,
            "content-type": "application/json",
            "content-length": String(sent.body.length),
            ...(isRepeating && { "idempotency-key": sent.key })
          },
          body: sent.body
        })
        if (response.status !== 201) return false
        const pet = decodePet(response.body.toString())
        acknowledged.push(pet)
        last = Math.max(last, pet.id)
        repeated = undefined
        return true
      }
    }
    /** Follows the list to its end, and stays there. */
    const reader = (walk: Array<number>) => {
      const known = new Set<number>()
      let path = firstPage
      return async () => {
        const atLeast = last
        const { next, pets } = await page(port, path)
        for (const pet of pets) {
          if (known.has(pet.id)) continue
          known.add(pet.id)
          walk.push(pet.id)
          if (!seen.has(pet.id)) seen.set(pet.id, pet)
        }
        if (next === undefined && (walk.at(-1) ?? 0) < atLeast) stale += 1
        path = next ?? path
        return true
      }
    }
    const caller = (kind: keyof Load["failed"], call: () => Promise<boolean>) =>
      Effect.promise(async () => {
        const began = performance.now()
        const isSuccess = await call().catch(() => false)
        const now = performance.now()
        lap.longest = Math.max(lap.longest, now - began)
        if (isSuccess) {
          lap[kind].gap = Math.max(lap[kind].gap, now - lap[kind].last)
          lap[kind].last = now
        } else failed[kind] += 1
        return isSuccess
      }).pipe(
        Effect.tap((isSuccess) => (isSuccess ? Effect.void : Effect.sleep(pause))),
        Effect.repeat({ until: () => isOver }),
        Effect.forkScoped
      )
    const walks = Array.from({ length: readers }, (): Array<number> => [])
    const fibers = yield* Effect.all([
      ...Array.from({ length: writers }, (_, nth) => caller("adds", writer(nth % 2 === 1))),
      ...walks.map((walk) => caller("lists", reader(walk)))
    ])
    return {
      acknowledged,
      seen,
      walks,
      failed,
      stale: () => stale,
      lap: () => {
        const ended = lap
        lap = newLap()
        return ended
      },
      stop: Effect.suspend(() => {
        isOver = true
        return Fiber.joinAll(fibers)
      })
    }
  })

const newLap = (): Lap => {
  const last = performance.now()
  return { longest: 0, adds: { last, gap: 0 }, lists: { last, gap: 0 } }
}
