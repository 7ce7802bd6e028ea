/** What a backup holds and of which database it is, what is synced, and the logs beside a database. */
import { chownSync, readdirSync, renameSync, statSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { describe, expect, vi } from "@effect/vitest"
import * as SqliteBackup from "@petstore/store-sqlite/SqliteBackup"
import * as SqliteRestore from "@petstore/store-sqlite/SqliteRestore"
import Database from "better-sqlite3"
import { Effect, Option } from "effect"
import { noHardLinks, recorded } from "./support/FileFunctions.ts"
import {
  changed,
  connect,
  folder,
  live,
  names,
  openStore,
  pet,
  setUp
} from "./support/SqliteFile.ts"

/** A database, and a way to back it up. */
const setUpBackups = Effect.gen(function* () {
  const { filename, other } = yield* setUp
  const path = yield* folder
  const backUp = (name: string) =>
    Effect.as(SqliteBackup.run({ filename, to: join(path, name) }), join(path, name))
  return { backUp, filename, other }
})

describe("backups", () => {
  live("are of the same database, or of another, but none is the database itself", function* () {
    const { backUp, filename } = yield* setUpBackups
    const backup = yield* backUp("one.db")
    const another = yield* setUpBackups
    const compare = (file: string) => SqliteBackup.compare({ filename, file, backup })
    expect(compare(yield* backUp("two.db"))).toBe("same")
    expect(compare(yield* another.backUp("three.db"))).toBe("other")
    expect(compare(filename)).toBe("other")
    expect(compare("/none.db")).toBe("unknown")
    const used = yield* backUp("used.db")
    yield* Effect.scoped(openStore({ filename: used }))
    expect(compare(used)).toBe("unknown")
  })

  live("are made while the database is locked, though it is not known of which", function* () {
    const { backUp, filename, other } = yield* setUpBackups
    other.exec("BEGIN IMMEDIATE")
    const file = yield* backUp("locked.db")
    other.exec("ROLLBACK")
    const backup = yield* backUp("one.db")
    expect(SqliteBackup.compare({ filename, file, backup })).toBe("unknown")
    expect(SqliteBackup.compare({ filename, file: backup, backup: file })).toBe("unknown")
  })

  live("leave the number of a database that has one", function* () {
    const { backUp, filename } = yield* setUpBackups
    yield* backUp("one.db")
    const database = yield* connect(filename)
    const number = database.pragma("user_version", { simple: true })
    yield* backUp("two.db")
    expect(database.pragma("user_version", { simple: true })).toBe(number)
    expect(number).toBeGreaterThan(0)
  })

  live("of a database in use hold what it held when they began, and leave its log", function* () {
    const { filename, other, store } = yield* setUp
    yield* store.add(pet("Rex"))
    const before = statSync(`${filename}-wal`).ino
    const progress: Array<number> = []
    const onProgress = (done: number) => {
      progress.push(done)
      other.exec("INSERT INTO pets (name, category_id) VALUES ('Tom', 1)")
    }
    yield* SqliteBackup.run({ filename, to: `${filename}.copy`, onProgress })
    expect(progress).toEqual([0])
    expect(yield* names(store)).toContain("Tom")
    yield* store.add(pet("Max"))
    expect(statSync(`${filename}-wal`).ino).toBe(before)
    expect(yield* names(yield* openStore({ filename: `${filename}.copy` }))).toEqual(["Rex"])
  })

  for (const code of ["SQLITE_FULL", "SQLITE_IOERR_WRITE"]) {
    live(`say that they cannot be written if that fails with ${code}`, function* () {
      const { backUp } = yield* setUpBackups
      const copying = vi
        .spyOn(Database.prototype, "backup")
        .mockRejectedValue(new Database.SqliteError("no room", code))
      yield* Effect.addFinalizer(() => Effect.sync(() => copying.mockRestore()))
      expect(yield* Effect.flip(backUp("one.db"))).toMatchObject({
        message: expect.stringMatching(/one\.db cannot be written \(no room\)$/)
      })
    })
  }

  live("of a damaged database are not kept", function* () {
    const filename = yield* changed(
      "PRAGMA ignore_check_constraints = ON; UPDATE pets SET name = ''"
    )
    const backingUp = SqliteBackup.run({ filename, to: `${filename}.copy` })
    expect(yield* Effect.flip(backingUp)).toMatchObject({ reason: "damaged" })
    expect(readdirSync(dirname(filename))).toEqual(["pets.db"])
  })

  live("are restored beside the log of a database that is gone if that is empty", function* () {
    const filename = yield* changed("")
    const backup = join(yield* folder, "backup.db")
    yield* SqliteBackup.run({ filename, to: backup })
    renameSync(filename, `${backup}.away`)
    const restoring = SqliteRestore.run({ backup, filename, replaces: false })
    for (const log of ["-wal", "-journal"]) {
      writeFileSync(filename + log, "changes")
      expect(yield* Effect.flip(restoring)).toMatchObject({ reason: "log-left" })
      expect(readdirSync(dirname(filename))).toContain(`pets.db${log}`)
      writeFileSync(filename + log, "")
    }
    writeFileSync(`${filename}-shm`, "")
    yield* restoring
    expect(readdirSync(dirname(filename))).toEqual(["pets.db"])
    expect(yield* names(yield* openStore({ filename }))).toEqual(["Rex"])
  })
})

/** Only root can give files to others. */
const isRoot = process.getuid?.() === 0

describe.each([
  { how: "by hard links", prepare: Effect.void, links: true },
  { how: "by renames where there are no hard links", prepare: noHardLinks(), links: false }
])("files that get their names $how", ({ links, prepare }) => {
  live("are synced before, and their folders after, and keep their owner", function* () {
    const filename = yield* changed("")
    const backup = join(dirname(filename), "backup.db")
    yield* prepare
    const calls = yield* recorded
    const folderSynced = `sync ${basename(dirname(filename))}`
    const published = (name: string) => [
      "sync petstore.partial",
      `${links ? "link" : "rename"} petstore.partial ${name}`,
      folderSynced
    ]
    yield* SqliteBackup.run({ filename, to: backup })
    expect(calls.splice(0)).toEqual(published("backup.db"))

    if (isRoot) chownSync(filename, 1234, 5678)
    const { gid, uid } = statSync(filename)
    const { replaced } = yield* SqliteRestore.run({ backup, filename, replaces: true })
    const { file } = Option.getOrThrow(replaced)
    for (const path of [filename, file]) expect(statSync(path)).toMatchObject({ gid, uid })
    const kept = basename(file)
    expect(calls).toEqual([
      ...(links ? [`link pets.db ${kept}`, folderSynced] : published(kept)),
      "sync petstore.partial",
      "rename petstore.partial pets.db",
      folderSynced
    ])
  })
})
