import { execFileSync } from "node:child_process"
import { rmSync, truncateSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { PetId } from "@petstore/domain/Pet"
import { PetNotFound } from "@petstore/domain/PetStore"
import { sharedSuite } from "@petstore/store-testkit/vitest"
import { Effect, Exit, Fiber } from "effect"
import {
  connect,
  folder,
  limit,
  names,
  openStore,
  pet,
  place,
  setUp
} from "./support/SqliteFile.ts"

/** A program that runs a statement in a process of its own. */
const run = `
  const [, filename, sql] = process.argv
  const Database = require(${JSON.stringify(createRequire(import.meta.url).resolve("better-sqlite3"))})
  const database = new Database(filename)
  database.exec(sql)
  database.close()
`

sharedSuite("SqlitePetStore", place)

it.scopedLive("tells how many writes were committed together, and which pages were cached", () =>
  Effect.gen(function* () {
    const filename = join(yield* folder, "pets.db")
    const sizes: Array<number> = []
    const hits: Array<boolean> = []
    const store = yield* openStore({
      filename,
      busyTimeout: 0,
      events: { onBatch: (size) => sizes.push(size), onCache: (isHit) => hits.push(isHit) }
    })
    const add = store.add(pet("Rex"))
    yield* Effect.all([add, add, add], { concurrency: "unbounded" })
    // The first goes alone; the others arrive while it is written.
    expect(sizes).toEqual([1, 2])
    yield* store.list({ limit })
    yield* store.list({ limit })
    expect(hits).toEqual([false, true])
    const other = yield* connect(filename)
    other.exec("BEGIN IMMEDIATE")
    expect(yield* Effect.flip(add)).toMatchObject({ reason: "busy" })
    expect(sizes).toEqual([1, 2])
  })
)

describe("a SQLite file that others use too", () => {
  it.scopedLive("can be read while another process holds its lock, and is busy for writes", () =>
    Effect.gen(function* () {
      const { other, store } = yield* setUp
      yield* store.add(pet("before"))
      other.exec("BEGIN IMMEDIATE")
      const writing = yield* Effect.fork(Effect.flip(store.add(pet("during"))))
      // The event loop stays free: these are over while the write still waits for the lock.
      yield* Effect.repeatN(Effect.sleep("1 millis"), 20)
      expect(yield* names(store)).toEqual(["before"])
      expect(writing.unsafePoll()).toBeNull()
      const failure = yield* Fiber.join(writing)
      expect(failure).toMatchObject({ _tag: "StoreUnavailable", reason: "busy" })
      other.exec("ROLLBACK")
      yield* store.add(pet("after"))
      expect(yield* names(store)).toEqual(["before", "after"])
    })
  )

  it.scopedLive("shows what another process wrote at once, and another what it wrote", () =>
    Effect.gen(function* () {
      const { other, store } = yield* setUp
      for (let round = 0; round < 20; round++) {
        other.exec(`INSERT INTO pets (name, category_id) VALUES ('other ${round}', 1)`)
        expect((yield* names(store)).at(-1)).toBe(`other ${round}`)
        const { id } = yield* store.add(pet(`own ${round}`))
        expect(other.prepare("SELECT name FROM pets WHERE id = ?").pluck().get(id)).toBe(
          `own ${round}`
        )
        expect((yield* names(store)).at(-1)).toBe(`own ${round}`)
      }
      const first = PetId.make(1n)
      expect((yield* store.get(first)).name).toBe("other 0")
      other.exec("UPDATE pets SET name = 'renamed' WHERE id = 1")
      expect((yield* names(store))[0]).toBe("renamed")
      expect((yield* store.get(first)).name).toBe("renamed")
      other.exec("DELETE FROM pets")
      expect(yield* names(store)).toEqual([])
      expect(yield* Effect.flip(store.get(first))).toBeInstanceOf(PetNotFound)
    })
  )

  it.scopedLive("is migrated once when several open it together", () =>
    Effect.gen(function* () {
      const filename = join(yield* folder, "deep", "er", "pets.db")
      const stores = yield* Effect.all(
        Array.from({ length: 4 }, () => openStore({ filename })),
        { concurrency: "unbounded" }
      )
      yield* Effect.forEach(stores, (store, index) => store.add(pet(`pet ${index}`)), {
        concurrency: "unbounded"
      })
      for (const store of stores) expect((yield* names(store)).length).toBe(4)
    })
  )
})

describe("writes that arrive together", () => {
  for (const action of ["ABORT", "ROLLBACK", "FAIL"]) {
    it.scopedLive(`fail alone when one of them fails with ${action}`, () =>
      Effect.gen(function* () {
        const { other, store } = yield* setUp
        other.exec(`CREATE TRIGGER refuse AFTER INSERT ON pets WHEN NEW.name = 'bad'
          BEGIN SELECT RAISE(${action}, 'no'); END`)
        const all = ["a", "b", "bad", "c", "d", "bad", "e"]
        const results = yield* Effect.forEach(all, (name) => Effect.exit(store.add(pet(name))), {
          concurrency: "unbounded"
        })
        expect(results.map(Exit.isSuccess)).toEqual(all.map((name) => name !== "bad"))
        expect(yield* names(store)).toEqual(["a", "b", "c", "d", "e"])
      })
    )
  }

  it.scopedLive("are synced in far fewer transactions than there are writes", () =>
    Effect.gen(function* () {
      const { other, store } = yield* setUp
      // The WAL counts its frames by commit: a commit of one row writes at least one frame each.
      const before = other.pragma("wal_checkpoint(TRUNCATE)")
      expect(before).toMatchObject([{ busy: 0 }])
      yield* Effect.forEach(
        Array.from({ length: 64 }, (_, index) => pet(`pet ${index}`)),
        store.add,
        { concurrency: "unbounded" }
      )
      const [{ log }] = other.pragma("wal_checkpoint(PASSIVE)") as [{ log: number }]
      expect(log).toBeGreaterThan(0)
      expect(log).toBeLessThan(32)
      expect((yield* names(store)).length).toBe(64)
    })
  )
})

describe("a file that is full or damaged", () => {
  it.scopedLive("is full when there are no more ids, and recovers when there are again", () =>
    Effect.gen(function* () {
      const { other, store } = yield* setUp
      yield* store.add(pet("first"))
      other.exec("UPDATE sqlite_sequence SET seq = 9223372036854775807 WHERE name = 'pets'")
      other.exec("INSERT INTO pets (id, name, category_id) VALUES (9223372036854775807, 'last', 1)")
      const failure = yield* Effect.flip(store.add(pet("too many")))
      expect(failure).toMatchObject({ _tag: "StoreUnavailable", reason: "full" })
      other.exec("DELETE FROM pets WHERE id = 9223372036854775807")
      other.exec("UPDATE sqlite_sequence SET seq = 1 WHERE name = 'pets'")
      yield* store.add(pet("second"))
      expect(yield* names(store)).toEqual(["first", "second"])
    })
  )

  it.scopedLive("is damaged when a row holds no pet", () =>
    Effect.gen(function* () {
      const { other, store } = yield* setUp
      other.exec("PRAGMA ignore_check_constraints = ON")
      other.exec("INSERT INTO pets (name, category_id) VALUES ('', 1)")
      const damaged = { _tag: "StoreUnavailable", reason: "damaged" }
      expect(yield* Effect.flip(store.get(PetId.make(1n)))).toMatchObject(damaged)
      expect(yield* Effect.flip(store.list({ limit }))).toMatchObject(damaged)
    })
  )

  it.scopedLive("is damaged when its bytes are", () =>
    Effect.gen(function* () {
      const { filename, other, store } = yield* setUp
      for (let index = 0; index < 100; index++) yield* store.add(pet("x".repeat(500)))
      other.pragma("wal_checkpoint(TRUNCATE)")
      truncateSync(filename, 8192)
      const failure = yield* Effect.flip(store.list({ limit }))
      expect(failure.reason).toBe("damaged")
    })
  )

  it.scopedLive("accepts no more pets after it was deleted", () =>
    Effect.gen(function* () {
      const { filename, store } = yield* setUp
      yield* store.add(pet("kept nowhere"))
      rmSync(filename)
      const failure = yield* Effect.flip(store.add(pet("lost")))
      expect(failure).toMatchObject({ _tag: "StoreUnavailable", reason: "down" })
    })
  )

  it.scopedLive("is a typed failure when it is not a database or cannot be created", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const filename = join(path, "text.db")
      writeFileSync(filename, "this is no database, but long enough to be read as one".repeat(99))
      const noDatabase = yield* Effect.flip(openStore({ filename }))
      expect(noDatabase).toMatchObject({ _tag: "StoreUnavailable", reason: "damaged" })
      const noFolder = yield* Effect.flip(
        openStore({ filename: join(filename, "below-a-file.db") })
      )
      expect(noFolder).toMatchObject({ _tag: "StoreUnavailable", reason: "down" })
      const aFolder = yield* Effect.flip(openStore({ filename: path }))
      expect(aFolder).toMatchObject({ _tag: "StoreUnavailable", reason: "down" })
    })
  )
})

describe("a page", () => {
  it.scopedLive("is found by an index, filtered or not", () =>
    Effect.gen(function* () {
      const { other } = yield* setUp
      const plan = (where: string) =>
        other
          .prepare(`EXPLAIN QUERY PLAN SELECT * FROM pets WHERE ${where} ORDER BY id LIMIT 20`)
          .all()
          .map((row) => (row as { detail: string }).detail)
      expect(plan("id > 5")).toEqual(["SEARCH pets USING INTEGER PRIMARY KEY (rowid>?)"])
      expect(plan("status = 'sold' AND id > 5")).toEqual([
        "SEARCH pets USING INDEX pets_by_status (status=? AND rowid>?)"
      ])
    })
  )
})

describe("a page that was read before", () => {
  it.scopedLive("is the same value until a commit, and is then read again", () =>
    Effect.gen(function* () {
      const { filename, store } = yield* setUp
      yield* store.add(pet("one"))
      const first = yield* store.list({ limit })
      expect(yield* store.list({ limit })).toBe(first)
      const shell = (sql: string) => execFileSync(process.execPath, ["-e", run, filename, sql])
      for (const [sql, expected] of [
        ["INSERT INTO pets (name, category_id) VALUES ('two', 1)", ["one", "two"]],
        ["UPDATE pets SET name = 'three' WHERE id = 2", ["one", "three"]],
        ["DELETE FROM pets WHERE id = 1", ["three"]]
      ] as const) {
        shell(sql)
        expect(yield* names(store)).toEqual(expected)
      }
    })
  )

  it.scopedLive("is never one that lacks what was acknowledged", () =>
    Effect.gen(function* () {
      const { store } = yield* setUp
      yield* Effect.forEach(
        Array.from({ length: 200 }, (_, index) => index),
        (index) =>
          Effect.gen(function* () {
            const { id } = yield* store.add(pet(`pet ${index}`, "sold"))
            const after = PetId.make(id - 1n)
            const { pets } = yield* store.list({ limit, status: "sold", after })
            expect(pets[0]?.id).toBe(id)
          }),
        { concurrency: 8, discard: true }
      )
    })
  )

  it.scopedLive("is not kept when the cache has no bytes", () =>
    Effect.gen(function* () {
      const filename = join(yield* folder, "pets.db")
      const store = yield* openStore({ filename, cacheBytes: 0 })
      yield* store.add(pet("one"))
      const first = yield* store.list({ limit })
      const second = yield* store.list({ limit })
      expect(second).not.toBe(first)
      expect(second).toEqual(first)
    })
  )
})
