/** Databases that are reached by symbolic links, or by names with spaces around them. */
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync
} from "node:fs"
import { join } from "node:path"
import { describe, expect } from "@effect/vitest"
import * as SqliteBackup from "@petstore/store-sqlite/SqliteBackup"
import * as SqliteInspection from "@petstore/store-sqlite/SqliteInspection"
import * as SqliteRestore from "@petstore/store-sqlite/SqliteRestore"
import { Effect } from "effect"
import { folder, live, names, openStore, pet } from "./support/SqliteFile.ts"

/** A link to a file that may not exist, in another folder. */
const withLink = Effect.gen(function* () {
  const path = yield* folder
  const link = join(path, "link.db")
  symlinkSync("data/pets.db", link)
  return { link, path, target: join(path, "data", "pets.db") }
})

describe("a database that is reached by a symbolic link", () => {
  live("is created where the link leads, for its owner only", function* () {
    const { link, path, target } = yield* withLink
    expect(yield* SqliteInspection.run(link)).toEqual({ state: "missing" })
    const store = yield* openStore({ filename: link })
    yield* store.add(pet("Rex"))
    expect(yield* names(store)).toEqual(["Rex"])
    expect(statSync(target).mode & 0o777).toBe(0o600)
    expect(statSync(join(path, "data")).mode & 0o777).toBe(0o700)
    expect(readdirSync(path).sort()).toEqual(["data", "link.db"])
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
  })

  live("is created where a link leads that is itself in a linked folder", function* () {
    const path = yield* folder
    const sub = join(path, "data", "sub")
    mkdirSync(sub, { recursive: true })
    symlinkSync("../pets.db", join(sub, "link.db"))
    symlinkSync(sub, join(path, "short"))
    yield* openStore({ filename: join(path, "short", "link.db") })
    expect(statSync(join(path, "data", "pets.db")).mode & 0o777).toBe(0o600)
    expect(readdirSync(path).sort()).toEqual(["data", "short"])
  })

  live("is used together with those who know its own name", function* () {
    const { link, target } = yield* withLink
    const own = yield* openStore({ filename: target })
    yield* own.add(pet("first"))
    const linked = yield* openStore({ filename: link })
    yield* linked.add(pet("second"))
    expect(yield* names(own)).toEqual(["first", "second"])
  })

  live("is checked: its log, and the link itself", function* () {
    const { link, path, target } = yield* withLink
    const store = yield* openStore({ filename: link })
    yield* store.add(pet("before"))
    rmSync(link)
    expect(yield* Effect.flip(store.add(pet("lost")))).toMatchObject({ reason: "down" })
    symlinkSync(target, link)
    yield* store.add(pet("after"))
    rmSync(join(path, "data", "pets.db-wal"))
    expect(yield* Effect.flip(store.add(pet("lost")))).toMatchObject({ reason: "down" })
  })

  live("is restored where the link leads, whether there is a database or not", function* () {
    const { link, path, target } = yield* withLink
    const other = join(path, "other.db")
    yield* Effect.scoped(
      Effect.flatMap(openStore({ filename: other }), (store) => store.add(pet("Rex")))
    )
    const backup = join(path, "backup.db")
    yield* SqliteBackup.run({ filename: other, to: backup })
    // By way of another link, and with a folder that is missing.
    renameSync(link, join(path, "second.db"))
    symlinkSync(join(path, "second.db"), link)
    for (const replaces of [false, true]) {
      yield* SqliteRestore.run({ backup, filename: link, replaces })
      expect(readlinkSync(link)).toBe(join(path, "second.db"))
      const found = Effect.flatMap(openStore({ filename: target }), names)
      expect(yield* Effect.scoped(found)).toEqual(["Rex"])
    }
  })

  live("cannot be used, inspected or restored if links lead in a circle", function* () {
    const { link, path, target } = yield* withLink
    yield* openStore({ filename: link })
    const [filename, other] = [join(path, "a.db"), join(path, "b.db")]
    symlinkSync("b.db", filename)
    symlinkSync("a.db", other)
    const circle = {
      reason: "down",
      cause: { message: expect.stringMatching(/^ELOOP: .*\.db(?:-wal)?'$/) }
    }
    expect(yield* Effect.flip(openStore({ filename }))).toMatchObject({ reason: "down" })
    expect(yield* Effect.flip(SqliteInspection.run(filename))).toMatchObject(circle)
    for (const replaces of [false, true]) {
      const restoring = SqliteRestore.run({ backup: target, filename, replaces })
      expect(yield* Effect.flip(restoring)).toMatchObject(circle)
    }
    const missing = join(path, "missing.db")
    const restoring = (backup: string) =>
      Effect.flip(SqliteRestore.run({ backup, filename: missing, replaces: false }))
    expect(yield* restoring(filename)).toMatchObject({
      reason: "unusable",
      cause: circle.cause
    })
    symlinkSync("missing.db-wal", `${missing}-wal`)
    expect(yield* restoring(target)).toMatchObject(circle)
  })
})

describe("a database with spaces around its name", () => {
  live("is one file, with a log beside it", function* () {
    const path = yield* folder
    mkdirSync(join(path, "data"))
    const store = yield* openStore({ filename: join(path, "data", "pets.db ") })
    yield* store.add(pet("Rex"))
    expect(readdirSync(join(path, "data")).filter((name) => !/-\w+$/.test(name))).toHaveLength(1)
  })
})
