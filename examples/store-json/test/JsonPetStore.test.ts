import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { PetStore } from "@petstore/domain/PetStore"
import { durableSuite } from "@petstore/store-testkit/vitest"
import { Effect } from "effect"
import * as JsonPetStore from "store-json/JsonPetStore"

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

  it("is shorter than sixty lines, and what its page shows", () => {
    const textOf = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8")
    const source = textOf("../src/JsonPetStore.ts")
    const lines = source.trimEnd().split("\n").length
    expect(lines).toBeLessThan(60)
    const page = textOf("../../../docs/your-own-store.md")
    expect(page).toContain(`: ${lines} lines, `)
    const [, change = "none"] = /^```ts\n(const change[^`]*)```$/m.exec(page) ?? []
    expect(source.replaceAll(/^ {4}/gm, "")).toContain(change)
    const [, app = "none"] = /^```ts\n(const key[^`]*)```$/m.exec(page) ?? []
    expect(textOf("../../../apps/outside/src/server/main.ts")).toContain(app)
  })
})
