/** Checks the laws of the testkit on the example of a store, without vitest. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Laws from "@petstore/store-testkit/Laws"
import * as Effect from "effect/Effect"
import * as JsonPetStore from "store-json/JsonPetStore"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "outside-laws-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)
const place = Effect.map(folder, (path) => JsonPetStore.layer(join(path, "pets.json")))
const laws = [...Laws.laws, ...Laws.durableLaws]

await Effect.runPromise(Effect.forEach(laws, (law) => law.check(place), { discard: true }))
process.stdout.write(`${laws.length} laws`)
