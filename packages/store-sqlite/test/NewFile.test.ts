import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, it } from "@effect/vitest"
import * as NewFile from "@petstore/store-sqlite/NewFile"
import { Effect } from "effect"
import { vi } from "vitest"
import { folder } from "./support/SqliteFile.ts"

const links = vi.hoisted(() => ({ arePossible: true }))

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>()
  const refused = Object.assign(new Error("operation not permitted"), { code: "EPERM" })
  return {
    ...real,
    link: (from: string, to: string) =>
      links.arePossible ? real.link(from, to) : Promise.reject(refused)
  }
})

describe.each([
  { how: "by a hard link", arePossible: true },
  { how: "by a copy where there are no hard links", arePossible: false }
])("a new file that gets its name $how", ({ arePossible }) => {
  beforeEach(() => {
    links.arePossible = arePossible
  })

  it.scopedLive("is moved", () =>
    Effect.gen(function* () {
      const path = yield* folder
      writeFileSync(join(path, "partial"), "new")
      const publish = () => NewFile.publish(join(path, "partial"), join(path, "file"))
      expect(yield* Effect.promise(publish)).toBe(true)
      expect(readFileSync(join(path, "file"), "utf8")).toBe("new")
      expect(readdirSync(path)).toEqual(["file"])
    })
  )

  it.scopedLive("leaves another file alone", () =>
    Effect.gen(function* () {
      const path = yield* folder
      writeFileSync(join(path, "partial"), "new")
      writeFileSync(join(path, "file"), "old")
      const publish = () => NewFile.publish(join(path, "partial"), join(path, "file"))
      expect(yield* Effect.promise(publish)).toBe(false)
      expect(readFileSync(join(path, "file"), "utf8")).toBe("old")
      expect(readdirSync(path).sort()).toEqual(["file", "partial"])
    })
  )

  it.scopedLive("fails where its folder is missing", () =>
    Effect.gen(function* () {
      const path = yield* folder
      writeFileSync(join(path, "partial"), "new")
      const publish = () => NewFile.publish(join(path, "partial"), join(path, "none", "file"))
      const { error } = yield* Effect.flip(Effect.tryPromise(publish))
      expect(error).toMatchObject({ code: "ENOENT" })
    })
  )
})
