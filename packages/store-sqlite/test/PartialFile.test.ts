import { spawnSync } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { describe, expect } from "@effect/vitest"
import * as PartialFile from "@petstore/store-sqlite/PartialFile"
import { Effect } from "effect"
import { noHardLinks } from "./support/FileFunctions.ts"
import { folder, live } from "./support/SqliteFile.ts"

const make = (file: string) => PartialFile.make(file, String)

/** A process that begins to write a file, and is killed. */
const beginAndDie = (file: string) => {
  const module = new URL("../dist/PartialFile.js", import.meta.url)
  const script = `
    import { Effect } from "effect"
    import { make } from "${module}"
    const kill = () => process.kill(process.pid, "SIGKILL")
    Effect.runPromise(Effect.scoped(Effect.map(make(${JSON.stringify(file)}, String), kill)))
  `
  const words = ["--input-type=module", "--eval", script]
  return spawnSync(process.execPath, words, { cwd: import.meta.dirname, encoding: "utf8" })
}

/** A folder with what a process leaves, and something else. */
const plant = (path: string) => {
  mkdirSync(path)
  for (const name of [...own, "other"]) writeFileSync(join(path, name), "")
}

const own = ["petstore.partial", "petstore.partial-journal"]

/** No process has this number. */
const ended = 2 ** 30

/** A folder, a file in it, and the names of what processes of other numbers leave beside that. */
const withNames = Effect.gen(function* () {
  const path = yield* folder
  const file = join(path, "file")
  const made = yield* Effect.scoped(make(file))
  const named = (pid: number, space = "") =>
    basename(dirname(made)).replace(
      /(\d*)-\d+-(?=[0-9a-f]{8}$)/,
      (_, here) => `${space || here}-${pid}-`
    )
  return { file, named, path }
})

describe("a file that is being written", () => {
  live("is beside its final place, for its owner only, and removed with the scope", function* () {
    const path = yield* folder
    yield* Effect.gen(function* () {
      const partial = yield* make(join(path, "file"))
      expect(dirname(dirname(partial))).toBe(path)
      expect(statSync(dirname(partial)).mode & 0o777).toBe(0o700)
      expect(statSync(partial).mode & 0o777).toBe(0o600)
      for (const log of ["-journal", "-shm", "-wal"]) writeFileSync(partial + log, "")
    }).pipe(Effect.scoped)
    expect(readdirSync(path)).toEqual([])
  })

  live("is removed by the next process if its own was killed", function* () {
    const path = yield* folder
    expect(beginAndDie(join(path, "file"))).toMatchObject({ signal: "SIGKILL", stderr: "" })
    expect(readdirSync(path)).toEqual([expect.stringMatching(/^file\.partial-/)])
    yield* Effect.scoped(make(join(path, "file")))
    expect(readdirSync(path)).toEqual([])
  })

  live("stays while its process runs, however many there are", function* () {
    const file = join(yield* folder, "file")
    const all = yield* Effect.all(
      Array.from({ length: 20 }, () => make(file)),
      { concurrency: "unbounded" }
    )
    yield* Effect.scoped(make(file))
    expect(all.filter((partial) => !existsSync(partial))).toEqual([])
    expect(new Set(all).size).toBe(20)
  })

  live("stays for a day after its last change if its process may run elsewhere", function* () {
    const { file, named, path } = yield* withNames
    const [old, recent, empty] = [named(ended, "1"), named(ended, "2"), named(ended, "3")]
    for (const name of [old, recent]) {
      mkdirSync(join(path, name))
      writeFileSync(join(path, name, "petstore.partial"), "")
      utimesSync(join(path, name), 0, 0)
    }
    // Some minutes more than a day ago, and less.
    const dayAgo = Date.now() / 1000 - 86_400
    utimesSync(join(path, old, "petstore.partial"), 0, dayAgo - 600)
    utimesSync(join(path, recent, "petstore.partial"), 0, dayAgo + 600)
    // Its process was killed before it made the file.
    mkdirSync(join(path, empty))
    utimesSync(join(path, empty), 0, 0)
    yield* Effect.scoped(make(file))
    expect(readdirSync(path)).toEqual([recent])
  })

  live("leaves what it did not make alone, and what a link leads to", function* () {
    const { file, named, path } = yield* withNames
    const others = ["file.partial-mine", named(ended).replace("file", "name"), "victim"]
    for (const name of [named(ended), ...others]) plant(join(path, name))
    utimesSync(join(path, "file.partial-mine", "petstore.partial"), 0, 0)
    symlinkSync("victim", join(path, named(ended + 1)))
    writeFileSync(join(path, named(ended + 2)), "")
    const used = yield* Effect.scoped(
      Effect.tap(make(file), (partial) => writeFileSync(join(dirname(partial), "mine"), ""))
    )
    expect(readdirSync(dirname(used))).toEqual(["mine"])
    for (const name of others) {
      expect(readdirSync(join(path, name))).toEqual(["other", ...own])
    }
    expect(readdirSync(join(path, named(ended)))).toEqual(["other"])
    expect(readdirSync(path)).toEqual(expect.arrayContaining([named(ended + 1), named(ended + 2)]))
  })

  live("leaves those of another user alone", function* () {
    const { file, named, path } = yield* withNames
    plant(join(path, named(ended)))
    const { geteuid } = process
    yield* Effect.acquireRelease(
      Effect.sync(() => Object.assign(process, { geteuid: () => -1 })),
      () => Effect.sync(() => Object.assign(process, { geteuid }))
    )
    yield* Effect.scoped(make(file))
    expect(readdirSync(join(path, named(ended)))).toEqual(["other", ...own])
  })

  live("fails where its folder is missing", function* () {
    const file = join(yield* folder, "none", "file")
    expect(yield* Effect.flip(make(file))).toContain("ENOENT")
  })
})

describe.each([
  { how: "by a hard link", prepare: Effect.void },
  { how: "by a rename where there are no hard links", prepare: noHardLinks() }
])("a complete file that gets its name $how", ({ prepare }) => {
  /** Publishes a file in this folder. */
  const publish = (path: string, name: string) =>
    Effect.gen(function* () {
      yield* prepare
      writeFileSync(join(path, "partial"), "new")
      return yield* Effect.tryPromise(() =>
        PartialFile.publish(join(path, "partial"), join(path, name))
      )
    })

  live("is moved", function* () {
    const path = yield* folder
    expect(yield* publish(path, "file")).toBe(true)
    expect(readFileSync(join(path, "file"), "utf8")).toBe("new")
    expect(readdirSync(path)).toEqual(["file"])
  })

  live("leaves another file alone", function* () {
    const path = yield* folder
    writeFileSync(join(path, "file"), "old")
    expect(yield* publish(path, "file")).toBe(false)
    expect(readFileSync(join(path, "file"), "utf8")).toBe("old")
    expect(readdirSync(path).sort()).toEqual(["file", "partial"])
  })

  live("fails where its folder is missing", function* () {
    const { error } = yield* Effect.flip(publish(yield* folder, "none/file"))
    expect(error).toMatchObject({ code: "ENOENT" })
  })
})
