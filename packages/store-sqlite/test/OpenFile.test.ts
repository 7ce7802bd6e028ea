/** Files that are moved, deleted or replaced while a store has them open, and files that are reached by symbolic links. */

import { execFileSync } from "node:child_process"
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
import { describe, expect, it, vi } from "@effect/vitest"
import type { PetStore } from "@petstore/domain/PetStore"
import * as SqliteBackup from "@petstore/store-sqlite/SqliteBackup"
import * as SqliteInspection from "@petstore/store-sqlite/SqliteInspection"
import * as SqliteRestore from "@petstore/store-sqlite/SqliteRestore"
import { Effect, Schedule } from "effect"
import * as OpenFile from "../src/internal/OpenFile.ts"
import * as WriteConnection from "../src/internal/WriteConnection.ts"
import { folder, limit, live, names, openStore, pet, setUp } from "./support/SqliteFile.ts"

const down = { _tag: "StoreUnavailable", reason: "down" }

/** Reads until that fails, or until it no longer fails. */
const becomes = (store: PetStore["Type"], tag: "Left" | "Right") =>
  Effect.either(store.list({ limit })).pipe(
    Effect.repeat({
      until: (result) => result._tag === tag,
      schedule: Schedule.spaced("20 millis").pipe(Schedule.upTo("30 seconds"))
    }),
    Effect.andThen(Effect.either(store.list({ limit })))
  )

const away = (path: string) => renameSync(path, `${path}.away`)
const back = (path: string) => renameSync(`${path}.away`, path)
const cases: ReadonlyArray<readonly [string, string, (path: string) => void]> = [
  ["was moved or deleted", "", away],
  [
    "was replaced",
    "",
    (path) => {
      away(path)
      // In another process: one that closes a file loses all locks that it has on it.
      execFileSync("cp", [`${path}.away`, path])
    }
  ],
  ["has lost its log", "-wal", away],
  ["has lost its shared memory", "-shm", away]
]

describe.concurrent("reads of a file", () => {
  for (const [how, suffix, lose] of cases) {
    live(`that ${how} fail soon, until it is back in its place`, function* () {
      const { filename, keys, store } = yield* setUp
      const { id } = yield* store.add(pet("first"))
      lose(filename + suffix)
      // At once: keys may be revoked in the other file.
      expect(yield* Effect.flip(keys.changes(undefined))).toMatchObject(down)
      expect(yield* becomes(store, "Left")).toMatchObject({ left: down })
      expect(yield* Effect.flip(store.get(id))).toMatchObject(down)
      back(filename + suffix)
      yield* becomes(store, "Right")
      expect(yield* names(store)).toEqual(["first"])
      expect(yield* store.get(id)).toMatchObject({ name: "first" })
    })
  }
})

it("files are looked at twice a second while they are read", () => {
  const clock = vi.spyOn(performance, "now").mockReturnValue(0)
  const looks: Array<number> = []
  const check = OpenFile.rarely(() => looks.push(performance.now()))
  for (const now of [499, 500, 501, 999, 1000, 1499, 1500]) {
    clock.mockReturnValue(now)
    check()
  }
  clock.mockRestore()
  expect(looks).toEqual([500, 1000, 1500])
})

describe.concurrent("writes to a file", () => {
  for (const [how, suffix, lose] of cases) {
    live(`that ${how} fail and change nothing, until it is back in its place`, function* () {
      const { filename, other, store } = yield* setUp
      yield* store.add(pet("before"))
      lose(filename + suffix)
      for (let nth = 0; nth < 2; nth++) {
        expect(yield* Effect.flip(store.add(pet("refused")))).toMatchObject(down)
      }
      back(filename + suffix)
      yield* store.add(pet("after"))
      expect(other.prepare("SELECT name FROM pets").pluck().all()).toEqual(["before", "after"])
    })

    live(`that ${how} within a transaction are rolled back`, function* () {
      const { filename, other } = yield* setUp
      const { database, transaction } = yield* Effect.acquireRelease(
        Effect.sync(() => WriteConnection.open(filename)),
        ({ database }) => Effect.sync(() => database.close())
      )
      const insert = database.prepare("INSERT INTO pets (name, category_id) VALUES ('x', 1)")
      const path = filename + suffix
      expect(() =>
        transaction(() => {
          insert.run()
          lose(path)
        })
      ).toThrow(`${path} was moved, deleted or replaced`)
      back(path)
      const count = other.prepare("SELECT count(*) FROM pets").pluck()
      expect(count.get()).toBe(0)
      transaction(() => insert.run())
      expect(count.get()).toBe(1)
    })
  }

  live("continue when another process makes it smaller, or empties its log", function* () {
    const { filename, other, store } = yield* setUp
    const second = yield* openStore({ filename })
    for (let nth = 0; nth < 50; nth++) yield* store.add(pet("x".repeat(1000)))
    other.pragma("wal_checkpoint(TRUNCATE)")
    const before = statSync(filename).size
    other.exec("DELETE FROM pets; VACUUM")
    other.pragma("wal_checkpoint(TRUNCATE)")
    expect(statSync(filename).size).toBeLessThan(before)
    yield* second.add(pet("second"))
    yield* store.add(pet("after"))
    expect(yield* names(second)).toEqual(["second", "after"])
  })
})

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
