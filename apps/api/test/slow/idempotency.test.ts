/** Creates that are repeated because servers die after the commit, before the answer. */
import { describe, expect, it } from "@effect/vitest"
import { createPetStore, type Fetch, type Pet } from "@petstore/http-client"
import { layer, PetStoreClient } from "@petstore/http-client/effect"
import { Effect, Redacted, Runtime, type Scope } from "effect"
import { places } from "../support/Folder.ts"
import { start } from "../support/Process.ts"

const apiKey = "the-key-of-the-tests"
const baseUrl = "http://pets.test"
const rex = { name: "Rex", categoryId: 1 }

/** The forms of the client: each creates the pet, and then lists all. */
const forms: Readonly<
  Record<"promises" | "Effect", (fetch: Fetch) => Effect.Effect<ReadonlyArray<Pet>, unknown>>
> = {
  promises: (fetch) =>
    Effect.promise(async () => {
      const { pets } = createPetStore({ apiKey, baseUrl, fetch })
      return [await pets.create(rex), ...(await pets.list()).pets]
    }),
  Effect: (fetch) =>
    Effect.gen(function* () {
      const { pets } = yield* PetStoreClient
      return [yield* pets.create(rex), ...(yield* pets.list()).pets]
    }).pipe(Effect.provide(layer({ apiKey: Redacted.make(apiKey), baseUrl, fetch })))
}

describe("servers that die before they answer", () => {
  // Every database and every form of the client once: neither depends on the other.
  for (const [name, form] of [
    ["SQLite", "promises"],
    ["PostgreSQL", "Effect"]
  ] as const) {
    it.scopedLive(`have added one pet, which the others find (${name}, ${form})`, () =>
      Effect.gen(function* () {
        const createAndList = forms[form]
        const path = yield* places[name]
        const open = start(path, { PETSTORE_API_KEYS: apiKey })
        const run = Runtime.runPromise(yield* Effect.runtime<Scope.Scope>())
        // The second was there when the first added the pet; the third starts after both have died.
        const running = [yield* open, yield* open]
        for (const program of running) yield* Effect.promise(() => program.url())
        const third = yield* Effect.cached(open)
        const answers: Array<unknown> = []
        const fetchAndKill: Fetch = async (url, init) => {
          const program = running.shift()
          const server = await (program ?? (await run(third))).url()
          const answer = await fetch(url.replace(baseUrl, server), init)
          if (program === undefined) return answer
          answers.push([answer.status, await answer.json()])
          await program.stop("SIGKILL")
          throw new TypeError("the connection was lost")
        }
        const pet = { id: 1n, name: "Rex", categoryId: 1n }
        expect(yield* createAndList(fetchAndKill)).toEqual([pet, pet])
        expect(answers).toEqual(Array(2).fill([201, { id: 1, name: "Rex", categoryId: 1 }]))
      })
    )
  }
})
