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
import { dirname, join } from "node:path"
import { describe, expect } from "@effect/vitest"
import * as PartialFile from "@petstore/store-sqlite/PartialFile"
import { Effect } from "effect"
import { noHardLinks } from "./support/FileFunctions.ts"
import { folder, live } from "./support/SqliteFile.ts"

const make = (file: string) => PartialFile.make(file, String)

/** A folder with what a process left two hours ago, and something else. */
const plant = (path: string, ...names: ReadonlyArray<string>) => {
  mkdirSync(path)
  for (const name of names) {
    writeFileSync(join(path, name), "")
    age(join(path, name), 120)
  }
  age(path, 120)
}

const age = (path: string, minutes: number) => utimesSync(path, 0, Date.now() / 1000 - 60 * minutes)

const own = ["petstore.partial", "petstore.partial-journal"]

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

  live("is removed once its process has not written for an hour", function* () {
    const path = yield* folder
    for (const name of ["old", "recent"]) plant(join(path, `file.partial-${name}`), ...own)
    age(join(path, "file.partial-recent", "petstore.partial"), 50)
    // Its process was killed before it made the file.
    plant(join(path, "file.partial-empty"))
    yield* Effect.scoped(make(join(path, "file")))
    expect(readdirSync(path)).toEqual(["file.partial-recent"])
  })

  live("leaves what it did not make alone, and what a link leads to", function* () {
    const path = yield* folder
    const others = ["name.partial-a", "victim"]
    for (const name of ["file.partial-a", ...others]) plant(join(path, name), ...own, "other")
    symlinkSync("victim", join(path, "file.partial-b"))
    writeFileSync(join(path, "file.partial-c"), "")
    age(join(path, "file.partial-c"), 120)
    const used = yield* Effect.scoped(
      Effect.tap(make(join(path, "file")), (partial) =>
        writeFileSync(join(dirname(partial), "mine"), "")
      )
    )
    expect(readdirSync(dirname(used))).toEqual(["mine"])
    for (const name of others) {
      expect(readdirSync(join(path, name))).toEqual(["other", ...own])
    }
    expect(readdirSync(join(path, "file.partial-a"))).toEqual(["other"])
    expect(readdirSync(path)).toEqual(expect.arrayContaining(["file.partial-b", "file.partial-c"]))
  })

  live("leaves those of another user alone", function* () {
    const path = yield* folder
    plant(join(path, "file.partial-a"), ...own)
    const { geteuid } = process
    yield* Effect.acquireRelease(
      Effect.sync(() => Object.assign(process, { geteuid: () => -1 })),
      () => Effect.sync(() => Object.assign(process, { geteuid }))
    )
    yield* Effect.scoped(make(join(path, "file")))
    expect(readdirSync(join(path, "file.partial-a"))).toEqual(own)
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
