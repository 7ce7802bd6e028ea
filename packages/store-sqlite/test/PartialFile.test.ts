import { spawnSync } from "node:child_process"
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { createRequire, syncBuiltinESMExports } from "node:module"
import { basename, dirname, join } from "node:path"
import { describe, expect } from "@effect/vitest"
import * as PartialFile from "@petstore/store-sqlite/PartialFile"
import { Effect } from "effect"
import { folder, live } from "./support/SqliteFile.ts"

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

/** Calls back before each removal of a path while the scope is open. */
const beforeRemovals = (callback: (path: string) => void) => {
  const { rm } = functions
  const use = (other: typeof rm) =>
    Effect.sync(() => {
      functions.rm = other
      syncBuiltinESMExports()
    })
  const watched: typeof rm = async (path, options) => {
    callback(String(path))
    await rm(path, options)
  }
  return Effect.acquireRelease(use(watched), () => use(rm))
}

/** Lets no file of this name be removed while the scope is open. */
const undeletable = (name: string) =>
  beforeRemovals((path) => {
    if (basename(path) === name) throw new Error("refused")
  })

/** The names that are removed. */
const own = ["file", "file-journal", "petstore.lock"]

/** A folder with these files. */
const plant = (path: string, ...files: ReadonlyArray<string>) => {
  mkdirSync(path, { mode: 0o700 })
  for (const file of files) writeFileSync(join(path, file), "")
}

describe("a file that is being written", () => {
  live("is beside its final place, for its owner only, and removed with the scope", function* () {
    const path = yield* folder
    yield* Effect.gen(function* () {
      const partial = yield* make(join(path, "file"))
      expect(dirname(dirname(partial))).toBe(path)
      expect(statSync(dirname(partial)).mode & 0o777).toBe(0o700)
      writeFileSync(partial, "x")
    }).pipe(Effect.scoped)
    expect(readdirSync(path)).toEqual([])
  })

  live("is removed by the next process if its own was killed", function* () {
    const path = yield* folder
    expect(beginAndDie(join(path, "file"))).toMatchObject({ signal: "SIGKILL", stderr: "" })
    const [left = ""] = readdirSync(path)
    expect(left).toMatch(/^file\.partial-/)
    // Its process was killed even before it locked it.
    mkdirSync(join(path, "file.partial-abcdef"))
    const partial = yield* make(join(path, "file"))
    expect(readdirSync(path).map((name) => join(path, name))).toEqual([dirname(partial)])
  })

  live("stays while its process runs, however many there are", function* () {
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

  live("is removed by the next process if its own could not remove all of it", function* () {
    const path = yield* folder
    yield* Effect.gen(function* () {
      yield* undeletable("file")
      writeFileSync(yield* make(join(path, "file")), "x")
    }).pipe(Effect.scoped)
    expect(readdirSync(path)).toEqual([expect.stringMatching(/^file\.partial-/)])
    yield* Effect.scoped(make(join(path, "file")))
    expect(readdirSync(path)).toEqual([])
  })

  live("leaves other folders alone", function* () {
    const path = yield* folder
    for (const name of ["file.partial-backup", "file2.partial-abcdef"]) {
      mkdirSync(join(path, name))
      writeFileSync(join(path, name, "mine"), "mine")
    }
    yield* Effect.scoped(make(join(path, "file")))
    expect(readdirSync(path).sort()).toEqual(["file.partial-backup", "file2.partial-abcdef"])
  })

  live("removes only the names that it makes from a leftover", function* () {
    const path = yield* folder
    const left = join(path, "file.partial-abcdef")
    plant(left, ...own, "other")
    mkdirSync(join(left, "folder"))
    yield* Effect.scoped(make(join(path, "file")))
    expect(readdirSync(left).sort()).toEqual(["folder", "other"])
  })

  live("removes nothing through a link, and no leftover of another user", function* () {
    const path = yield* folder
    const victim = join(path, "victim")
    plant(victim, ...own, "other")
    symlinkSync(victim, join(path, "file.partial-abcdef"))
    yield* Effect.scoped(make(join(path, "file")))
    plant(join(path, "file.partial-others"), ...own)
    const empty = join(path, "file.partial-empty")
    mkdirSync(empty)
    const { geteuid } = process
    yield* Effect.acquireRelease(
      Effect.sync(() => Object.assign(process, { geteuid: () => -1 })),
      () => Effect.sync(() => Object.assign(process, { geteuid }))
    )
    yield* Effect.scoped(make(join(path, "file")))
    expect(readdirSync(victim).sort()).toEqual([...own, "other"].sort())
    expect(readdirSync(join(path, "file.partial-others")).sort()).toEqual([...own].sort())
    expect(existsSync(empty)).toBe(true)
  })

  live("removes nothing through a link that takes the place of a folder meanwhile", function* () {
    const path = yield* folder
    const victim = join(path, "victim")
    plant(victim, ...own, "other")
    const left = join(path, "file.partial-abcdef")
    plant(left, ...own)
    const swap = (from: string) => {
      renameSync(from, `${from}-away`)
      symlinkSync(victim, from)
    }
    // At the first removal from the leftover, and then from the folder of the file itself.
    yield* beforeRemovals(() => lstatSync(left).isDirectory() && swap(left))
    const partial = yield* make(join(path, "file"))
    expect(lstatSync(left).isSymbolicLink()).toBe(true)
    yield* Effect.gen(function* () {
      const another = yield* make(join(path, "another"))
      writeFileSync(another, "x")
      swap(dirname(another))
    }).pipe(Effect.scoped)
    expect(existsSync(partial)).toBe(false)
    expect(readdirSync(victim).sort()).toEqual([...own, "other"].sort())
    expect(readdirSync(`${left}-away`)).toEqual([])
  })

  live("fails where its folder is missing", function* () {
    const file = join(yield* folder, "none", "file")
    expect(yield* Effect.flip(make(file))).toContain("ENOENT")
  })
})
