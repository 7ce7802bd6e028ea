/** Files that are moved, deleted, replaced or cut short while a store has them open. */
import { execFileSync } from "node:child_process"
import { once } from "node:events"
import {
  closeSync,
  existsSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync
} from "node:fs"
import { createRequire, syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { describe, expect, it, vi } from "@effect/vitest"
import type { PetStore } from "@petstore/domain/PetStore"
import { Effect, Either, Schedule } from "effect"
import * as Connection from "../src/internal/Connection.ts"
import * as OpenFile from "../src/internal/OpenFile.ts"
import * as WriteAheadLog from "../src/internal/WriteAheadLog.ts"
import * as WriteConnection from "../src/internal/WriteConnection.ts"
import { folder, limit, live, names, openStore, pet, setUp } from "./support/SqliteFile.ts"

/** In another process: one that closes a file loses all locks that it has on it. */
const copy = (from: string, to: string) => execFileSync("cp", [from, to])

const damaged = { _tag: "StoreUnavailable", reason: "damaged" }
const down = { _tag: "StoreUnavailable", reason: "down" }

/** Reads until that fails, or until it no longer fails. */
const becomes = (store: PetStore["Type"], tag: "Left" | "Right") =>
  Effect.either(store.list({ limit })).pipe(
    Effect.repeat({
      until: (result) => result._tag === tag,
      schedule: Schedule.spaced("20 millis").pipe(Schedule.upTo("30 seconds"))
    }),
    Effect.zipRight(Effect.either(store.list({ limit })))
  )

describe.concurrent("reads of a file", () => {
  const away = (path: string) => renameSync(path, `${path}.away`)
  const back = (path: string) => renameSync(`${path}.away`, path)
  const cases: ReadonlyArray<readonly [string, string, (path: string) => void]> = [
    ["was moved", "", away],
    [
      "was replaced",
      "",
      (path) => {
        away(path)
        copy(`${path}.away`, path)
      }
    ],
    ["has lost its log", "-wal", away],
    ["has lost its shared memory", "-shm", away]
  ]
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

  live("that was deleted fail soon", function* () {
    const { filename, store } = yield* setUp
    rmSync(filename)
    expect(yield* becomes(store, "Left")).toMatchObject({ left: down })
  })

  live("that was truncated fail soon, those of keys too", function* () {
    const { filename, keys, store } = yield* setUp
    yield* store.add(pet("first"))
    truncateSync(filename, half(filename))
    expect(yield* becomes(store, "Left")).toMatchObject({ left: damaged })
    expect(yield* Effect.flip(keys.changes(undefined))).toMatchObject(damaged)
  })
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

/** A connection for writing, and a function that inserts a row on it. */
const openToWrite = (filename: string, busyMillis = 1000) =>
  Effect.acquireRelease(
    Effect.sync(() => WriteConnection.open({ filename, busyMillis, giveUp: new Int32Array(1) })),
    ({ database }) => Effect.sync(() => database.close())
  ).pipe(
    Effect.map(({ database, transaction }) => {
      const statement = database.prepare("INSERT INTO pets (name, category_id) VALUES ('x', 1)")
      return { transaction, insert: () => statement.run() }
    })
  )

/** What is in the file and its log, as a crash at this moment would leave them. */
const afterCrash = (filename: string) =>
  Effect.gen(function* () {
    const path = join(yield* folder, "copy.db")
    for (const suffix of ["", "-wal"]) {
      if (existsSync(filename + suffix)) copy(filename + suffix, path + suffix)
    }
    return yield* names(yield* openStore({ filename: path }))
  })

const half = (path: string) => Math.floor(statSync(path).size / 2)
const damages = {
  "was removed": (wal: string) => rmSync(wal),
  "was truncated to nothing": (wal: string) => truncateSync(wal, 0),
  "was truncated to half": (wal: string) => truncateSync(wal, half(wal)),
  "was overwritten": (wal: string) => {
    const file = openSync(wal, "r+")
    writeSync(file, Buffer.alloc(32))
    closeSync(file)
  }
}

describe.concurrent("writes to a file", () => {
  for (const [how, damage] of Object.entries(damages)) {
    live(`whose log ${how} are never acknowledged and lost`, function* () {
      const { filename, other, store } = yield* setUp
      for (let nth = 0; nth < 5; nth++) yield* store.add(pet(`before ${nth}`))
      other.pragma("wal_checkpoint(PASSIVE)")
      for (let nth = 5; nth < 10; nth++) yield* store.add(pet(`before ${nth}`))
      damage(`${filename}-wal`)
      const acknowledged: Array<string> = []
      for (let nth = 0; nth < 5; nth++) {
        const result = yield* Effect.either(store.add(pet(`after ${nth}`)))
        if (Either.isRight(result)) acknowledged.push(result.right.name)
      }
      expect(yield* afterCrash(filename)).toEqual(expect.arrayContaining(acknowledged))
      expect(yield* Effect.flip(store.add(pet("last")))).toMatchObject(down)
    })

    live(`whose log ${how} within a transaction fail, and so do all that follow`, function* () {
      const { filename } = yield* setUp
      const { insert, transaction } = yield* openToWrite(filename)
      transaction(insert)
      expect(() =>
        transaction(() => {
          insert()
          damage(`${filename}-wal`)
        })
      ).toThrow(filename)
      expect(() => transaction(() => expect.unreachable())).toThrow(filename)
    })
  }

  live("that was moved within a transaction are not acknowledged", function* () {
    const { filename } = yield* setUp
    const { insert, transaction } = yield* openToWrite(filename)
    expect(() =>
      transaction(() => {
        insert()
        renameSync(filename, `${filename}.away`)
      })
    ).toThrow("was committed, but a check then failed")
  })

  live("whose shared memory was removed are refused", function* () {
    const { filename } = yield* setUp
    const { insert, transaction } = yield* openToWrite(filename)
    transaction(insert)
    rmSync(`${filename}-shm`)
    expect(() => transaction(() => expect.unreachable())).toThrow(`${filename}-shm was moved`)
  })

  live("whose log lost a byte of its last frame are refused", function* () {
    const { filename } = yield* setUp
    const { insert, transaction } = yield* openToWrite(filename)
    transaction(insert)
    truncateSync(`${filename}-wal`, statSync(`${filename}-wal`).size - 1)
    expect(() => transaction(() => expect.unreachable())).toThrow("was truncated or overwritten")
  })

  for (const [how, size] of [
    ["to nothing", () => 0],
    ["by a page", (path: string) => statSync(path).size - 4096]
  ] as const) {
    live(`that was truncated ${how} are refused from the first one on`, function* () {
      const { filename, other, store } = yield* setUp
      // Few: SQLite itself refuses a checkpoint to a file that lacks more than 64 KiB.
      for (let nth = 0; nth < 2; nth++) yield* store.add(pet("x".repeat(4096)))
      other.pragma("wal_checkpoint(PASSIVE)")
      yield* store.add(pet("before"))
      truncateSync(filename, size(filename))
      for (let nth = 0; nth < 3; nth++) {
        expect(yield* Effect.flip(store.add(pet(`after ${nth}`)))).toMatchObject(damaged)
      }
      other.pragma("wal_checkpoint(PASSIVE)")
      expect(yield* Effect.flip(store.add(pet("last")))).toMatchObject(damaged)
    })

    live(`that was truncated ${how} within a transaction are not committed`, function* () {
      const { filename, other } = yield* setUp
      const { insert, transaction } = yield* openToWrite(filename)
      transaction(insert)
      const second = yield* openToWrite(filename)
      const count = other.prepare("SELECT count(*) FROM pets").pluck()
      expect(() =>
        transaction(() => {
          insert()
          truncateSync(filename, size(filename))
        })
      ).toThrow(`${filename} was truncated`)
      expect(count.get()).toBe(1)
      expect(() => second.transaction(() => expect.unreachable())).toThrow("was truncated")
    })

    live(`that was truncated ${how} after the last check are not acknowledged`, function* () {
      const { filename } = yield* setUp
      let looks = 0
      const log = vi.spyOn(WriteAheadLog, "make").mockReturnValue({
        check: () => {},
        size: () => {
          // At the second look, the size of the file has been checked.
          if (++looks === 2) truncateSync(filename, size(filename))
          return 0
        }
      })
      const { insert, transaction } = yield* openToWrite(filename)
      log.mockRestore()
      expect(() => transaction(insert)).toThrow(
        /was committed, but a check then failed: .* was truncated$/
      )
    })
  }

  live("continue when another process makes the file smaller by VACUUM", function* () {
    const { filename, other, store } = yield* setUp
    const second = yield* openStore({ filename })
    for (let nth = 0; nth < 50; nth++) yield* store.add(pet("x".repeat(4096)))
    yield* second.add(pet("second"))
    other.pragma("wal_checkpoint(TRUNCATE)")
    const before = statSync(filename).size
    other.exec("DELETE FROM pets WHERE length(name) > 100; VACUUM")
    other.pragma("wal_checkpoint(TRUNCATE)")
    expect(statSync(filename).size).toBeLessThan(before)
    // Grows the database again, but only in the log, before the other store looks at the file.
    yield* second.add(pet("y".repeat(20_000)))
    yield* store.add(pet("after"))
    expect(yield* names(second)).toEqual(["second", "y".repeat(20_000), "after"])
  })

  live("continue when the database then grows beyond its old size, in the log", function* () {
    const { filename, keys, other, store } = yield* setUp
    for (let nth = 0; nth < 25; nth++) yield* store.add(pet("x".repeat(4096)))
    other.pragma("wal_checkpoint(TRUNCATE)")
    yield* store.add(pet("sees the size"))
    const before = statSync(filename).size
    other.exec("DELETE FROM pets; VACUUM")
    other.pragma("wal_checkpoint(TRUNCATE)")
    const insert = other.prepare("INSERT INTO pets (name, category_id) VALUES (?, 1)")
    other.transaction(() => {
      for (let nth = 0; nth < 60; nth++) insert.run("y".repeat(4096))
    })()
    expect(statSync(filename).size).toBeLessThan(before)
    expect((yield* store.add(pet("after"))).name).toBe("after")
    expect(yield* names(store)).toHaveLength(61)
    expect(yield* keys.changes(undefined)).toMatchObject({ isAll: true })
  })

  live("continue when another process empties the log by a checkpoint", function* () {
    const { filename, other, store } = yield* setUp
    const second = yield* openStore({ filename })
    const expected: Array<string> = []
    for (let nth = 0; nth < 30; nth++) {
      yield* (nth % 2 === 0 ? store : second).add(pet(`pet ${nth}`))
      expected.push(`pet ${nth}`)
      if (nth % 3 === 0) {
        expect(other.pragma("wal_checkpoint(TRUNCATE)")).toEqual([
          { busy: 0, log: 0, checkpointed: 0 }
        ])
        expect(statSync(`${filename}-wal`).size).toBe(0)
      }
      if (nth % 5 === 0) other.pragma("wal_checkpoint(RESTART)")
    }
    expect(yield* names(store)).toEqual(expected)
    expect(yield* afterCrash(filename)).toEqual(expected)
  })

  live("find the log whole while another thread writes it and empties it", function* () {
    const { filename } = yield* setUp
    const stop = new Int32Array(new SharedArrayBuffer(4))
    const thread = yield* Effect.acquireRelease(
      Effect.sync(
        () => new Worker(writeAndEmpty, { eval: true, workerData: { filename, driver, stop } })
      ),
      // Not terminated: that crashes the process while SQLite is at work.
      (worker) =>
        Effect.promise(() => {
          Atomics.store(stop, 0, 1)
          return once(worker, "exit")
        })
    )
    yield* Effect.promise(() => once(thread, "message"))
    const { check } = WriteAheadLog.make(yield* Connection.open(filename, {}))
    let checked = 0
    while (checked < 5000) {
      const outcome = Either.try({ try: check, catch: (error) => error })
      if (Either.isRight(outcome)) checked++
      else expect(outcome.left).toMatchObject({ code: "SQLITE_BUSY" })
    }
  })

  live("look again and again at a log that others empty, but not for ever", function* () {
    const { filename, store } = yield* setUp
    yield* store.add(pet("Rex"))
    const { check } = WriteAheadLog.make(yield* Connection.open(filename, {}))
    let empty = 50
    const restore = replace("fstatSync", (real) => (empty-- > 0 ? { size: 0 } : real()))
    try {
      check()
      expect(empty).toBe(-1)
      empty = 10_000
      expect(check).toThrow("was truncated or overwritten")
    } finally {
      restore()
    }
  })

  live("stay refused when the log is put back, until the file is reopened", function* () {
    const { filename, store } = yield* setUp
    yield* store.add(pet("before"))
    const wal = `${filename}-wal`
    renameSync(wal, `${wal}.away`)
    expect(yield* Effect.flip(store.add(pet("lost")))).toMatchObject(down)
    renameSync(`${wal}.away`, wal)
    expect(yield* Effect.flip(store.add(pet("refused")))).toMatchObject(down)
    const again = yield* openStore({ filename })
    yield* again.add(pet("after"))
    expect(yield* names(again)).toEqual(["before", "after"])
  })

  live("continue when the log can be read again", function* () {
    const { filename, other } = yield* setUp
    const { insert, transaction } = yield* openToWrite(filename, 0)
    transaction(insert)
    const restore = replace("readSync", () => {
      throw Object.assign(new Error("EIO: i/o error, read"), { code: "EIO" })
    })
    try {
      expect(() => transaction(insert)).toThrow("EIO")
    } finally {
      restore()
    }
    transaction(insert)
    expect(other.prepare("SELECT count(*) FROM pets").pluck().get()).toBe(2)
  })

  live("continue when the file itself is put back", function* () {
    const { filename, store } = yield* setUp
    renameSync(filename, `${filename}.away`)
    expect(yield* Effect.flip(store.add(pet("lost")))).toMatchObject(down)
    renameSync(`${filename}.away`, filename)
    yield* store.add(pet("kept"))
    expect(yield* afterCrash(filename)).toEqual(["kept"])
  })
})

/** Puts another function in the place of one of Node until the function that it returns is called. */
const replace = (name: "fstatSync" | "readSync", other: (real: () => unknown) => unknown) => {
  const fs = createRequire(import.meta.url)("node:fs")
  const real = fs[name]
  const use = (used: unknown) => {
    fs[name] = used
    syncBuiltinESMExports()
  }
  use((...values: ReadonlyArray<unknown>) => other(() => real(...values)))
  return () => use(real)
}

const driver = createRequire(import.meta.url).resolve("better-sqlite3")

/** A thread that adds a row and empties the log, over and over. */
const writeAndEmpty = `
  const { parentPort, workerData } = require("node:worker_threads")
  const { driver, filename, stop } = workerData
  const database = new (require(driver))(filename)
  database.pragma("synchronous = OFF")
  const insert = database.prepare("INSERT INTO pets (name, category_id) VALUES ('x', 1)")
  insert.run()
  parentPort.postMessage("ready")
  while (Atomics.load(stop, 0) === 0) {
    insert.run()
    database.pragma("wal_checkpoint(TRUNCATE)")
  }
  database.close()
`
