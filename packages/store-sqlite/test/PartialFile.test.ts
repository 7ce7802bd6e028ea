import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { createRequire, syncBuiltinESMExports } from "node:module"
import { basename, dirname, join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as PartialFile from "@petstore/store-sqlite/PartialFile"
import { Effect } from "effect"
import { folder } from "./support/SqliteFile.ts"

const make = (file: string) => PartialFile.make(file, String)

/** A process that begins to write a file, and is killed. */
const beginAndDie = (file: string) => {
  const module = new URL("../dist/PartialFile.js", import.meta.url)
  const script = `
    import { writeFileSync } from "node:fs"
    import { Effect } from "effect"
    import { make } from "${module}"
    const kill = (path) => {
      writeFileSync(path, "incomplete")
      process.kill(process.pid, "SIGKILL")
    }
    Effect.runPromise(Effect.scoped(Effect.map(make(${JSON.stringify(file)}, String), kill)))
  `
  const words = ["--input-type=module", "--eval", script]
  return spawnSync(process.execPath, words, { cwd: import.meta.dirname, encoding: "utf8" })
}

const functions: Pick<typeof import("node:fs/promises"), "rm"> = createRequire(import.meta.url)(
  "node:fs/promises"
)

/** Lets no file of this name be removed while the scope is open. Folders lose their other files first. */
const undeletable = (name: string) => {
  const { rm } = functions
  const use = (other: typeof rm) =>
    Effect.sync(() => {
      functions.rm = other
      syncBuiltinESMExports()
    })
  const refusing: typeof rm = async (path, options) => {
    const isFolder = statSync(path).isDirectory()
    if (!isFolder && basename(String(path)) !== name) return rm(path, options)
    const entries = isFolder ? readdirSync(path).filter((entry) => entry !== name) : []
    for (const entry of entries) await rm(join(String(path), entry), options)
    throw new Error("refused")
  }
  return Effect.acquireRelease(use(refusing), () => use(rm))
}

describe("a file that is being written", () => {
  it.scopedLive("is beside its final place, for its owner only, and removed with the scope", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* Effect.gen(function* () {
        const partial = yield* make(join(path, "file"))
        expect(dirname(dirname(partial))).toBe(path)
        expect(statSync(dirname(partial)).mode & 0o777).toBe(0o700)
        writeFileSync(partial, "x")
      }).pipe(Effect.scoped)
      expect(readdirSync(path)).toEqual([])
    })
  )

  it.scopedLive("is removed by the next process if its own was killed", () =>
    Effect.gen(function* () {
      const path = yield* folder
      expect(beginAndDie(join(path, "file"))).toMatchObject({ signal: "SIGKILL", stderr: "" })
      const [left = ""] = readdirSync(path)
      expect(left).toMatch(/^file\.partial-/)
      // Its process was killed even before it locked it.
      mkdirSync(join(path, "file.partial-abcdef"))
      const partial = yield* make(join(path, "file"))
      expect(readdirSync(path).map((name) => join(path, name))).toEqual([dirname(partial)])
    })
  )

  it.scopedLive("stays while its process runs, however many there are", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "file")
      const all = yield* Effect.all(
        Array.from({ length: 20 }, () => make(file)),
        { concurrency: "unbounded" }
      )
      for (const partial of all) writeFileSync(partial, "x")
      yield* Effect.scoped(make(file))
      expect(all.filter((partial) => !existsSync(partial))).toEqual([])
      expect(new Set(all).size).toBe(20)
    })
  )

  it.scopedLive("is removed by the next process if its own could not remove all of it", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* Effect.gen(function* () {
        yield* undeletable("file")
        writeFileSync(yield* make(join(path, "file")), "x")
      }).pipe(Effect.scoped)
      expect(readdirSync(path)).toEqual([expect.stringMatching(/^file\.partial-/)])
      yield* Effect.scoped(make(join(path, "file")))
      expect(readdirSync(path)).toEqual([])
    })
  )

  it.scopedLive("leaves other folders alone", () =>
    Effect.gen(function* () {
      const path = yield* folder
      for (const name of ["file.partial-backup", "file2.partial-abcdef"]) {
        mkdirSync(join(path, name))
        writeFileSync(join(path, name, "mine"), "mine")
      }
      yield* Effect.scoped(make(join(path, "file")))
      expect(readdirSync(path).sort()).toEqual(["file.partial-backup", "file2.partial-abcdef"])
    })
  )

  it.scopedLive("fails where its folder is missing", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "none", "file")
      expect(yield* Effect.flip(make(file))).toContain("ENOENT")
    })
  )
})
