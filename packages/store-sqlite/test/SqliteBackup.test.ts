/** What a backup holds and of which database it is, what is synced, and the logs beside a database. */

import { spawnSync } from "node:child_process"
import {
  chownSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, join } from "node:path"
import { describe, expect, vi } from "@effect/vitest"
import * as SqliteBackup from "@petstore/store-sqlite/SqliteBackup"
import * as SqliteRestore from "@petstore/store-sqlite/SqliteRestore"
import { Effect, Exit, Fiber, FiberId, Option } from "effect"
import * as Driver from "../src/internal/Driver.ts"
import * as DriverError from "../src/internal/DriverError.ts"
import { noHardLinks, recorded } from "./support/FileFunctions.ts"
import {
  beforeStatements,
  changed,
  connect,
  folder,
  live,
  names,
  openStore,
  pet,
  setUp,
  timeoutOf
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
    // Not a database, though it has the number where a backup has it.
    const text = join(yield* folder, "text")
    writeFileSync(text, readFileSync(backup).fill("x", 0, 16))
    expect(compare(text)).toBe("unknown")
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

  live("and restores wait for the locks of others for some seconds at most", function* () {
    const filename = yield* changed("")
    const backup = join(yield* folder, "backup.db")
    const waits = new Map<string, unknown>()
    yield* beforeStatements((database, sql) => {
      const file = [filename, backup].includes(database.name) ? basename(database.name) : "copy"
      waits.set(`${file}: ${sql}`, timeoutOf(database))
    })
    yield* SqliteBackup.run({ filename, to: backup })
    yield* SqliteRestore.run({ backup, filename, replaces: true })
    expect(Object.fromEntries(waits)).toMatchObject({
      "pets.db: PRAGMA query_only = ON": 5000n,
      "pets.db: PRAGMA user_version": 1000n,
      "backup.db: PRAGMA query_only = ON": 5000n,
      "pets.db: PRAGMA journal_mode = DELETE": 1000n,
      "copy: PRAGMA synchronous = FULL": 5000n
    })
  })

  live("say that their name is taken before they look at the database", function* () {
    const path = yield* folder
    const copying = SqliteBackup.run({ filename: join(path, "missing.db"), to: path })
    expect(yield* Effect.flip(copying)).toMatchObject({ reason: "exists" })
  })

  live("are copied some pages at a time", function* () {
    const { filename, other } = yield* setUpBackups
    const add = other.prepare("INSERT INTO pets (name, category_id) VALUES (?, 1)")
    other.transaction(() => {
      for (let nth = 0; nth < 550; nth++) add.run("x".repeat(4096))
    })()
    let calls = 0
    yield* SqliteBackup.run({ filename, to: `${filename}.copy`, onProgress: () => calls++ })
    expect(calls).toBeGreaterThan(1)
  })

  for (const [what, check] of [
    ["the copy", "PRAGMA quick_check(1)"],
    ["what it holds", "PRAGMA integrity_check(10)"]
  ] as const) {
    live(
      `are not restored when that is interrupted by a signal during the check of ${what}`,
      function* () {
        const filename = yield* changed("")
        const backup = join(dirname(filename), "backup.db")
        yield* SqliteBackup.run({ filename, to: backup })
        let restoring: Fiber.RuntimeFiber<unknown, unknown> | undefined
        // The event loop gets it once the check is over.
        const signal = () => setImmediate(() => restoring?.unsafeInterruptAsFork(FiberId.none))
        yield* beforeStatements((_, sql) => void (sql === check && signal()))
        restoring = yield* Effect.fork(SqliteRestore.run({ backup, filename, replaces: true }))
        expect(Exit.isInterrupted(yield* Fiber.await(restoring))).toBe(true)
        expect(readdirSync(dirname(filename)).sort()).toEqual(["backup.db", "pets.db"])
      }
    )
  }

  live("are not restored in the place of a database that another process reads", function* () {
    const filename = yield* changed("PRAGMA journal_mode = DELETE")
    const backup = join(yield* folder, "backup.db")
    yield* SqliteBackup.run({ filename, to: backup })
    const other = yield* connect(filename)
    other.exec("BEGIN; SELECT id FROM pets")
    const restoring = SqliteRestore.run({ backup, filename, replaces: true })
    expect(yield* Effect.flip(restoring)).toMatchObject({ reason: "in-use" })
    other.close()
    yield* restoring
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
      const { open } = Driver
      const backup = () => Promise.reject(DriverError.failure("no room", code))
      const opening = vi
        .spyOn(Driver, "open")
        .mockImplementation((...options) => ({ ...open(...options), backup }))
      yield* Effect.addFinalizer(() => Effect.sync(() => opening.mockRestore()))
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

  live("are restored beside a damaged database, whose log is moved before", function* () {
    const filename = yield* changed("")
    const backup = join(yield* folder, "backup.db")
    yield* SqliteBackup.run({ filename, to: backup })
    writeFileSync(filename, "no database, but long enough to be read as one ".repeat(99))
    writeFileSync(`${filename}-wal`, "changes")
    const moves: Array<string> = []
    // The server that starts at once has a log, too.
    yield* noHardLinks((_, to) => {
      moves.push(basename(to).replace(/\d.*Z/, "time"))
      if (to === filename) writeFileSync(`${filename}-wal`, "new changes")
    })
    yield* SqliteRestore.run({ backup, filename, replaces: true })
    const kept = "pets.db.before-restore-time"
    expect(moves).toEqual([kept, `${kept}-wal`, `${kept}-journal`, "pets.db"])
    expect(readFileSync(`${filename}-wal`, "utf8")).toBe("new changes")
  })

  live("are not restored while the log of a damaged database cannot be moved", function* () {
    const filename = yield* changed("")
    const backup = join(yield* folder, "backup.db")
    yield* SqliteBackup.run({ filename, to: backup })
    const damaged = "no database, but long enough to be read as one ".repeat(99)
    writeFileSync(filename, damaged)
    yield* noHardLinks((_, to) => {
      if (to.endsWith("-wal")) throw Object.assign(new Error("no access"), { code: "EACCES" })
    })
    const restoring = SqliteRestore.run({ backup, filename, replaces: true })
    expect(yield* Effect.flip(restoring)).toMatchObject({ reason: "unwritable" })
    expect(readFileSync(filename, "utf8")).toBe(damaged)
  })

  live("are not restored beside the log of a database that is gone", function* () {
    const filename = yield* changed("")
    const backup = join(yield* folder, "backup.db")
    yield* SqliteBackup.run({ filename, to: backup })
    renameSync(filename, `${backup}.away`)
    const restoring = SqliteRestore.run({ backup, filename, replaces: false })
    for (const log of ["-wal", "-journal"]) {
      writeFileSync(filename + log, "changes")
      expect(yield* Effect.flip(restoring)).toMatchObject({ reason: "log-left" })
      expect(readdirSync(dirname(filename))).toContain(`pets.db${log}`)
      rmSync(filename + log)
    }
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

const driver = createRequire(import.meta.url).resolve("better-sqlite3")

/** Adds a pet in another process; its output is the error, if there is one. */
const addElsewhere = (filename: string): string => {
  const script = `
    const database = new (require(${JSON.stringify(driver)}))(${JSON.stringify(filename)}, { timeout: 0 })
    try { database.exec("INSERT INTO pets (name, category_id) VALUES ('other', 1)"); console.log("added") }
    catch (error) { console.log(error.code) }
  `
  return spawnSync(process.execPath, ["--eval", script], { encoding: "utf8" }).stdout.trim()
}

/** A database with one pet, and a backup of it with none. */
const withBackup = Effect.gen(function* () {
  const path = yield* folder
  const filename = join(path, "pets.db")
  const backup = join(path, "backup.db")
  yield* Effect.gen(function* () {
    const store = yield* openStore({ filename })
    yield* SqliteBackup.run({ filename, to: backup })
    yield* store.add(pet("kept"))
  }).pipe(Effect.scoped)
  return { backup, filename, path }
})

describe("without hard links, a restore", () => {
  live("keeps the old database locked until it is replaced", function* () {
    const { backup, filename, path } = yield* withBackup
    const attempts: Array<string> = []
    const sources: Array<string> = []
    yield* noHardLinks((from, to) => {
      if (!from.startsWith(`${filename}-`)) sources.push(from)
      if (to === filename) attempts.push(addElsewhere(filename))
    })
    const { replaced } = yield* SqliteRestore.run({ backup, filename, replaces: true })
    expect(attempts).toEqual(["SQLITE_BUSY"])
    // Where the next restore looks for what a killed one left.
    const place = expect.stringContaining(`${filename}.partial-`)
    expect(sources).toEqual([place, place])
    const { file } = Option.getOrThrow(replaced)
    expect(yield* names(yield* openStore({ filename: file }))).toEqual(["kept"])
    const restored = yield* openStore({ filename })
    expect(yield* names(restored)).toEqual([])
    // The replaced database has assigned the first one.
    expect((yield* restored.add(pet("new"))).id).toBe(2n)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(path).filter((name) => name.includes("partial"))).toEqual([])
  })

  live("keeps a complete copy of a damaged database", function* () {
    const { backup, filename } = yield* withBackup
    const database = yield* connect(filename)
    database.unsafeMode().exec(`
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET rootpage = 99 WHERE name = 'pets_by_status';
      `)
    database.close()
    yield* noHardLinks()
    const { replaced } = yield* SqliteRestore.run({ backup, filename, replaces: true })
    expect(statSync(Option.getOrThrow(replaced).file).size).toBeGreaterThan(4096)
    expect(yield* names(yield* openStore({ filename }))).toEqual([])
  })
})
