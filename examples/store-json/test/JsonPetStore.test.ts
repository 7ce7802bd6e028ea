import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { PetStore } from "@petstore/domain/PetStore"
import { durableSuite } from "@petstore/store-testkit/vitest"
import { Effect } from "effect"
import * as JsonPetStore from "../src/JsonPetStore.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "store-json-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

durableSuite(
  "JsonPetStore",
  Effect.map(folder, (path) => JsonPetStore.layer(join(path, "pets.json")))
)

describe("JsonPetStore", () => {
  it.scopedLive("fails as damaged if its file is not what it wrote, and leaves it alone", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "pets.json")
      for (const text of ["", "[]", '{"pets":[{"id":"x"}],"used":[]}']) {
        writeFileSync(file, text)
        const error = yield* Effect.flip(Effect.provide(PetStore, JsonPetStore.layer(file)))
        expect(error).toMatchObject({ _tag: "StoreUnavailable", reason: "damaged" })
        expect(readFileSync(file, "utf8")).toBe(text)
      }
    })
  )
})
