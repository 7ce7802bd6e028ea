/** Backups and restores on a file system without hard links. */
import { spawnSync } from "node:child_process"
import { readdirSync, statSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { describe, expect } from "@effect/vitest"
import * as SqliteBackup from "@petstore/store-sqlite/SqliteBackup"
import * as SqliteRestore from "@petstore/store-sqlite/SqliteRestore"
import { Effect, Option } from "effect"
import { noHardLinks } from "./support/FileFunctions.ts"
import { connect, folder, live, names, openStore, pet } from "./support/SqliteFile.ts"

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
