/** Which database a backup is of. */
import { join } from "node:path"
import { describe, expect } from "@effect/vitest"
import * as SqliteBackup from "@petstore/store-sqlite/SqliteBackup"
import { Effect } from "effect"
import { connect, folder, live, setUp } from "./support/SqliteFile.ts"

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
})
