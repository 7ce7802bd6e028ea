import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "@effect/vitest"
import * as NewFile from "@petstore/store-sqlite/NewFile"
import { Effect } from "effect"
import { noHardLinks } from "./support/NoHardLinks.ts"
import { folder, live } from "./support/SqliteFile.ts"

describe.each([
  { how: "by a hard link", prepare: Effect.void },
  { how: "by a rename where there are no hard links", prepare: noHardLinks() }
])("a new file that gets its name $how", ({ prepare }) => {
  live("is moved", function* () {
    yield* prepare
    const path = yield* folder
    writeFileSync(join(path, "partial"), "new")
    const publish = () => NewFile.publish(join(path, "partial"), join(path, "file"))
    expect(yield* Effect.promise(publish)).toBe(true)
    expect(readFileSync(join(path, "file"), "utf8")).toBe("new")
    expect(readdirSync(path)).toEqual(["file"])
  })

  live("leaves another file alone", function* () {
    yield* prepare
    const path = yield* folder
    writeFileSync(join(path, "partial"), "new")
    writeFileSync(join(path, "file"), "old")
    const publish = () => NewFile.publish(join(path, "partial"), join(path, "file"))
    expect(yield* Effect.promise(publish)).toBe(false)
    expect(readFileSync(join(path, "file"), "utf8")).toBe("old")
    expect(readdirSync(path).sort()).toEqual(["file", "partial"])
  })

  live("fails where its folder is missing", function* () {
    yield* prepare
    const path = yield* folder
    writeFileSync(join(path, "partial"), "new")
    const publish = () => NewFile.publish(join(path, "partial"), join(path, "none", "file"))
    const { error } = yield* Effect.flip(Effect.tryPromise(publish))
    expect(error).toMatchObject({ code: "ENOENT" })
  })
})
