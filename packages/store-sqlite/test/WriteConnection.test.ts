/** The connection of the writer's thread, in the thread of the test. `LostFiles` has more of its checks. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, vi } from "@effect/vitest"
import Database from "better-sqlite3"
import { Effect } from "effect"
import * as Migrations from "../src/internal/Migrations.ts"
import * as WriteAheadLog from "../src/internal/WriteAheadLog.ts"
import * as WriteConnection from "../src/internal/WriteConnection.ts"
import { connect, folder } from "./support/SqliteFile.ts"

const file = Effect.gen(function* () {
  const filename = join(yield* folder, "pets.db")
  yield* Migrations.run(filename)
  return filename
})

const open = (filename: string, busyMillis: number, giveUp = new Int32Array(1)) =>
  Effect.acquireRelease(
    Effect.sync(() => WriteConnection.open({ filename, busyMillis, giveUp })),
    ({ database }) => Effect.sync(() => database.close())
  )

const insert = "INSERT INTO pets (name, category_id) VALUES ('Rex', 1)"
const failure = (code: string) => new Database.SqliteError(code, code)

/** Lets a function have another one's results until the scope is closed. */
const mocked = <A>(mock: () => A & { readonly mockRestore: () => void }) =>
  Effect.acquireRelease(Effect.sync(mock), (spy) => Effect.sync(() => spy.mockRestore()))

/** A log whose checks, before and after each transaction, throw these errors. */
const checking = (...errors: ReadonlyArray<Error | undefined>) => {
  const results = [...errors]
  const check = () => {
    const error = results.shift()
    if (error !== undefined) throw error
  }
  return mocked(() =>
    vi.spyOn(WriteAheadLog, "make").mockImplementation(() => ({ size: () => 0, check }))
  )
}

describe("a connection for writing", () => {
  it.scopedLive("uses WAL and full syncs, read back after the file was used", () =>
    Effect.gen(function* () {
      const filename = yield* file
      const other = yield* connect(filename)
      expect(other.pragma("journal_mode = DELETE", { simple: true })).toBe("delete")
      const { database } = yield* open(filename, 100)
      expect(database.pragma("journal_mode", { simple: true })).toBe("wal")
      expect(database.pragma("synchronous", { simple: true })).toBe(2n)
    })
  )

  for (const [pragma, value] of [
    ["journal_mode", "delete"],
    ["synchronous", 1n]
  ] as const) {
    it.scopedLive(`refuses a file whose ${pragma} stays ${value}`, () =>
      Effect.gen(function* () {
        const filename = yield* file
        const { pragma: real } = Database.prototype
        yield* mocked(() =>
          vi.spyOn(Database.prototype, "pragma").mockImplementation(function (
            this: Database.Database,
            source,
            how
          ) {
            return source === pragma ? value : real.call(this, source, how)
          })
        )
        expect(() =>
          WriteConnection.open({ filename, busyMillis: 100, giveUp: new Int32Array(1) })
        ).toThrow("SQLite cannot use journal_mode = WAL and synchronous = FULL for this file")
      })
    )
  }

  it.scopedLive("does not create a file", () =>
    Effect.gen(function* () {
      const filename = join(yield* folder, "missing.db")
      const giveUp = new Int32Array(1)
      expect(() => WriteConnection.open({ filename, busyMillis: 0, giveUp })).toThrow()
      expect(existsSync(filename)).toBe(false)
    })
  )
})

describe("a transaction", () => {
  it.scopedLive("that throws changes nothing, and the next one is committed", () =>
    Effect.gen(function* () {
      const filename = yield* file
      const { database, transaction } = yield* open(filename, 0)
      const thrown = new Error("thrown")
      expect(() =>
        transaction(() => {
          database.exec(insert)
          throw thrown
        })
      ).toThrow(thrown)
      const count = (yield* connect(filename)).prepare("SELECT count(*) FROM pets").pluck()
      expect(count.get()).toBe(0)
      expect(transaction(() => "nothing")).toBe("nothing")
      transaction(() => database.exec(insert))
      expect(count.get()).toBe(1)
    })
  )

  it.scopedLive("fails if a lock is not free in time, or once it must give up", () =>
    Effect.gen(function* () {
      const filename = yield* file
      const hasTime = yield* open(filename, 60_000, new Int32Array([1]))
      const hasNone = yield* open(filename, 0)
      const other = yield* connect(filename)
      other.exec("BEGIN IMMEDIATE")
      for (const { transaction } of [hasTime, hasNone]) {
        expect(() => transaction(() => expect.unreachable())).toThrow("database is locked")
      }
      other.exec("ROLLBACK")
      for (const { transaction } of [hasTime, hasNone]) transaction(() => {})
    })
  )

  it.scopedLive("waits for the index of the log, before and after", () =>
    Effect.gen(function* () {
      const filename = yield* file
      const locked = failure("SQLITE_BUSY_RECOVERY")
      yield* checking(locked, locked, undefined, locked, undefined)
      const { transaction } = yield* open(filename, 1000)
      // No time passes.
      yield* mocked(() => vi.spyOn(performance, "now").mockReturnValue(1000))
      expect(transaction(() => "done")).toBe("done")
    })
  )

  it.scopedLive("that could not check the log in time is no reason to refuse the next one", () =>
    Effect.gen(function* () {
      const filename = yield* file
      yield* checking(failure("SQLITE_BUSY"))
      const { transaction } = yield* open(filename, 0)
      expect(() => transaction(() => expect.unreachable())).toThrow("SQLITE_BUSY")
      expect(transaction(() => "done")).toBe("done")
    })
  )

  it.scopedLive(
    "that is committed fails if the log cannot be read then, and the next one does not",
    () =>
      Effect.gen(function* () {
        const filename = yield* file
        // After a power cut SQLite may have reported a sync that was not made.
        yield* checking(
          undefined,
          Object.assign(new Error("EIO: i/o error, read"), { code: "EIO" })
        )
        const { transaction } = yield* open(filename, 0)
        expect(() => transaction(() => "done")).toThrow("EIO")
        expect(transaction(() => "done")).toBe("done")
      })
  )

  it.scopedLive("fails if the log is damaged as it is committed, and so do all that follow", () =>
    Effect.gen(function* () {
      const filename = yield* file
      yield* checking(undefined, failure("SQLITE_CORRUPT"))
      const { transaction } = yield* open(filename, 60_000)
      expect(() => transaction(() => "done")).toThrow("SQLITE_CORRUPT")
      expect(() => transaction(() => expect.unreachable())).toThrow("SQLITE_CORRUPT")
    })
  )
})
