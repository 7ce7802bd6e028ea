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

const open = (filename: string, giveUp = new Int32Array(1)) =>
  Effect.acquireRelease(
    Effect.sync(() => WriteConnection.open({ filename, giveUp })),
    ({ database }) => Effect.sync(() => database.close())
  )

/** Lets a function have another one's results until the scope is closed. */
const mocked = <A>(mock: () => A & { readonly mockRestore: () => void }) =>
  Effect.acquireRelease(Effect.sync(mock), (spy) => Effect.sync(() => spy.mockRestore()))

describe("a connection for writing", () => {
  live("uses WAL and full syncs, read back after the file was used", function* () {
    const filename = yield* file
    const other = yield* connect(filename)
    expect(other.pragma("journal_mode = DELETE", { simple: true })).toBe("delete")
    const { database } = yield* open(filename)
    // It is over soon enough to be given up.
    expect(timeoutOf(database)).toBe(100n)
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
      yield* mocked(() =>
        vi.spyOn(Driver, "open").mockImplementation((...options) => {
          const database = open(...options)
          const read = (sql: string) => (sql === `PRAGMA ${pragma}` ? value : database.value(sql))
          return { ...database, value: read }
        })
      )
      expect(() => WriteConnection.open({ filename, giveUp: new Int32Array(1) })).toThrow(
        "SQLite cannot use journal_mode = WAL and synchronous = FULL for this file"
      )
    })
  }

  live("does not create a file", function* () {
    const filename = join(yield* folder, "missing.db")
    const giveUp = new Int32Array(1)
    expect(() => WriteConnection.open({ filename, giveUp })).toThrow()
    expect(existsSync(filename)).toBe(false)
  })
})

describe("a transaction", () => {
  live("fails if a lock is not free in five seconds, or once it must give up", function* () {
    const filename = yield* file
    const mustGiveUp = yield* open(filename, new Int32Array([1]))
    const waits = yield* open(filename)
    const other = yield* connect(filename)
    other.exec("BEGIN IMMEDIATE")
    let now = 0
    yield* mocked(() => vi.spyOn(performance, "now").mockImplementation(() => (now += 1600)))
    for (const { transaction } of [mustGiveUp, waits]) {
      expect(() => transaction(() => expect.unreachable())).toThrow("database is locked")
    }
    // It has looked at the clock until five seconds were over.
    expect(now).toBe(1600 * 7)
    other.exec("ROLLBACK")
    for (const { transaction } of [mustGiveUp, waits]) transaction(() => {})
  })
})
