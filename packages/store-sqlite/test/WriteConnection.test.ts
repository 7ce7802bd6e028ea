/** The connection of the writer's thread, in the thread of the test. `LostFiles` has its check of the files. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, vi } from "@effect/vitest"
import { Effect } from "effect"
import * as Driver from "../src/internal/Driver.ts"
import * as Migrations from "../src/internal/Migrations.ts"
import * as WriteConnection from "../src/internal/WriteConnection.ts"
import { connect, folder, live, timeoutOf } from "./support/SqliteFile.ts"

const file = Effect.gen(function* () {
  const filename = join(yield* folder, "pets.db")
  yield* Migrations.run(filename)
  return filename
})

const open = (filename: string) =>
  Effect.acquireRelease(
    Effect.sync(() => WriteConnection.open(filename)),
    ({ database }) => Effect.sync(() => database.close())
  )

describe("a connection for writing", () => {
  live("uses WAL and full syncs, read back after the file was used", function* () {
    const filename = yield* file
    const other = yield* connect(filename)
    expect(other.pragma("journal_mode = DELETE", { simple: true })).toBe("delete")
    const { database } = yield* open(filename)
    expect(timeoutOf(database)).toBe(5000n)
    expect(database.value("PRAGMA journal_mode")).toBe("wal")
    expect(database.value("PRAGMA synchronous")).toBe(2n)
  })

  for (const [pragma, value] of [
    ["journal_mode", "delete"],
    ["synchronous", 1n]
  ] as const) {
    live(`refuses a file whose ${pragma} stays ${value}`, function* () {
      const filename = yield* file
      const { open } = Driver
      const opening = vi.spyOn(Driver, "open").mockImplementation((...options) => {
        const database = open(...options)
        const read = (sql: string) => (sql === `PRAGMA ${pragma}` ? value : database.value(sql))
        return { ...database, value: read }
      })
      yield* Effect.addFinalizer(() => Effect.sync(() => opening.mockRestore()))
      expect(() => WriteConnection.open(filename)).toThrow(
        "SQLite cannot use journal_mode = WAL and synchronous = FULL for this file"
      )
    })
  }

  live("does not create a file", function* () {
    const filename = join(yield* folder, "missing.db")
    expect(() => WriteConnection.open(filename)).toThrow()
    expect(existsSync(filename)).toBe(false)
  })
})
