/** Callers that add and list pets, one request after the other. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Http from "./Http.ts"
import { key } from "./Replica.ts"

/** A pet, as the demo needs it. */
export const Pet = Schema.Struct({ id: Schema.Number, name: Schema.String })
/** A pet, as the demo needs it. */
export type Pet = typeof Pet.Type

/** What the callers have seen. */
export interface Load {
  /** Every pet whose add was answered with success. */
  readonly acknowledged: Array<Pet>
  /** How many adds and lists failed. A pet whose add failed may or may not be there. */
  readonly failed: { adds: number; lists: number }
  /** Waits for the requests that are under way, and sends no more. */
  readonly stop: Effect.Effect<void>
}

const writers = 8
const readers = 8
const headers = { authorization: `Bearer ${key}` }
const firstPage = "/v1/pets?limit=20"

const decodePet = Schema.decodeUnknownSync(Schema.parseJson(Pet))
const decodePets = Schema.decodeUnknownSync(Schema.parseJson(Schema.Array(Pet)))

/** Starts callers of the service at this port. */
export const make = (port: number): Effect.Effect<Load, never, Scope.Scope> =>
  Effect.gen(function* () {
    const acknowledged: Array<Pet> = []
    const failed = { adds: 0, lists: 0 }
    let isOver = false
    let names = 0

    const add = async () => {
      const body = Buffer.from(JSON.stringify({ name: `Pet ${++names}`, categoryId: 1 }))
      const json = { "content-type": "application/json", "content-length": String(body.length) }
      const response = await Http.send(port, {
        method: "POST",
        path: "/v1/pets",
        headers: { ...headers, ...json },
        body
      })
      if (response.status === 201) acknowledged.push(decodePet(response.body.toString()))
      return response.status === 201
    }
    let path = firstPage
    const list = async () => {
      const { next, status } = await page(port, path)
      path = next ?? firstPage
      return status === 200
    }
    const caller = (kind: keyof Load["failed"], call: () => Promise<boolean>) =>
      Effect.promise(() => call().catch(() => false)).pipe(
        Effect.andThen((isSuccess) => {
          failed[kind] += isSuccess ? 0 : 1
        }),
        Effect.repeat({ until: () => isOver }),
        Effect.forkScoped
      )
    const fibers = yield* Effect.all([
      ...Array.from({ length: writers }, () => caller("adds", add)),
      ...Array.from({ length: readers }, () => caller("lists", list))
    ])
    const stop = Effect.suspend(() => {
      isOver = true
      return Fiber.joinAll(fibers)
    })
    return { acknowledged, failed, stop }
  })

/** Reads the whole catalogue, page by page. */
export const walk = async (port: number): Promise<ReadonlyArray<Pet>> => {
  const pets: Array<Pet> = []
  for (let path: string | undefined = "/v1/pets?limit=100"; path !== undefined; ) {
    const { body, next, status } = await page(port, path)
    if (status !== 200) throw new Error(`a page of the catalogue was answered with ${status}`)
    pets.push(...decodePets(body.toString()))
    path = next
  }
  return pets
}

/** One page, and the path of the next one. */
const page = async (port: number, path: string) => {
  const response = await Http.send(port, { method: "GET", path, headers, body: Buffer.of() })
  const next = /^<([^>]+)>; *rel="next"/.exec(String(response.headers["link"]))?.[1]
  return { ...response, next }
}
