/** Logs beside a database that no process uses. */
import { readdirSync, renameSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "@effect/vitest"
import * as SqliteBackup from "@petstore/store-sqlite/SqliteBackup"
import * as SqliteRestore from "@petstore/store-sqlite/SqliteRestore"
import { Effect } from "effect"
import { folder, live, names, openStore, pet, setUp } from "./support/SqliteFile.ts"

/** A folder with a database of one pet that no process uses. */
const idle = Effect.gen(function* () {
  const path = yield* folder
  const filename = join(path, "pets.db")
  yield* Effect.scoped(Effect.flatMap(openStore({ filename }), (store) => store.add(pet("Rex"))))
  return { backup: join(path, "backup.db"), filename, path }
})

describe("a backup", () => {
  live("of a database in use leaves its log", function* () {
    const { filename, store } = yield* setUp
    yield* store.add(pet("Rex"))
    const before = statSync(`${filename}-wal`).ino
    yield* SqliteBackup.run({ filename, to: `${filename}.copy` })
    yield* store.add(pet("Tom"))
    expect(statSync(`${filename}-wal`).ino).toBe(before)
    expect(yield* names(yield* openStore({ filename: `${filename}.copy` }))).toEqual(["Rex"])
  })
})

describe("a restore beside the log of a database that is gone", () => {
  live("removes an empty one", function* () {
    const { backup, filename, path } = yield* idle
    yield* SqliteBackup.run({ filename, to: backup })
    renameSync(filename, join(path, "away"))
    for (const suffix of ["-wal", "-shm"]) writeFileSync(filename + suffix, "")
    yield* SqliteRestore.run({ backup, filename, replaces: false })
    expect(readdirSync(path).sort()).toEqual(["away", "backup.db", "pets.db"])
    expect(yield* names(yield* openStore({ filename }))).toEqual(["Rex"])
  })
})
