import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, vi } from "@effect/vitest"
import { Instant, KeyId } from "@petstore/access/ApiKey"
import { lifetime, make } from "@petstore/domain/Idempotency"
import { filters } from "@petstore/domain/ListPets"
import { PetId } from "@petstore/domain/Pet"
import { PageLimit } from "@petstore/domain/PetPage"
import { PetNotFound } from "@petstore/domain/PetStore"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { columnsOf } from "@petstore/store-sql/Columns"
import * as SqliteIds from "@petstore/store-sqlite/SqliteIds"
import { sharedSuite } from "@petstore/store-testkit/vitest"
import { Effect, Exit, Fiber } from "effect"
import {
  beforeStatements,
  folder,
  limit,
  live,
  names,
  openStore,
  pet,
  place,
  setUp,
  timeoutOf
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

live("tells how many writes were committed together, and which pages were cached", function* () {
  const filename = join(yield* folder, "pets.db")
  const sizes: Array<number> = []
  const hits: Array<boolean> = []
  const store = yield* openStore({
    filename,
    events: { onBatch: (size) => sizes.push(size), onCache: (isHit) => hits.push(isHit) }
  })
  const add = store.add(pet("Rex"))
  yield* Effect.all([add, add, add], { concurrency: "unbounded" })
  // The first goes alone; the others arrive while it is written.
  expect(sizes).toEqual([1, 2])
  yield* store.list({ limit })
  yield* store.list({ limit })
  expect(hits).toEqual([false, true])
})

live(
  "prepares the statement of a list once, and hardly waits for locks when it reads",
  function* () {
    const waits: Array<unknown> = []
    yield* beforeStatements((database, sql) => {
      if (sql.endsWith("LIMIT ?")) waits.push(timeoutOf(database))
    })
    const { store } = yield* setUp
    for (let nth = 1; nth <= 3; nth++) yield* store.list({ limit: PageLimit.make(nth) })
    // A read that waits blocks the event loop.
    expect(waits).toEqual([10n])
  }
)

live("reads in the next turn what would make a turn long", function* () {
  const { store } = yield* setUp
  // Each look at the clock takes 4 ms.
  let now = performance.now()
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 4))
  yield* Effect.addFinalizer(() => Effect.sync(() => clock.mockRestore()))
  const order: Array<string> = []
  const list = (nth: number) =>
    Effect.map(store.list({ limit: PageLimit.make(nth) }), () => order.push(`read ${nth}`))
  const turn = Effect.promise(() => new Promise(setImmediate)).pipe(
    Effect.map(() => order.push("turn"))
  )
  yield* Effect.all([list(1), list(2), turn], { concurrency: 3 })
  expect(order).toEqual(["read 1", "turn", "read 2"])
})

describe("a SQLite file that others use too", () => {
  live(
    "can be opened and read while another process holds its lock, and is busy for writes",
    function* () {
      const { filename, keys, other, store } = yield* setUp
      yield* store.add(pet("before"))
      other.exec("BEGIN IMMEDIATE")
      const writes = [
        store.add(pet("during")),
        keys.revoke(KeyId.make("0123456789"), Instant.make(0))
      ]
      const writing = yield* Effect.fork(
        Effect.forEach(writes, (write) => Effect.flip<unknown, StoreUnavailable, never>(write), {
          concurrency: 2
        })
      )
      // The event loop stays free: these are over while the writes still wait for the lock.
      yield* Effect.repeatN(Effect.sleep("1 millis"), 20)
      expect(yield* names(store)).toEqual(["before"])
      expect(yield* names(yield* openStore({ filename }))).toEqual(["before"])
      expect(yield* keys.list).toEqual([])
      expect(writing.unsafePoll()).toBeNull()
      const busy = { _tag: "StoreUnavailable", reason: "busy" }
      expect(yield* Fiber.join(writing)).toMatchObject([busy, busy])
      other.exec("ROLLBACK")
      yield* store.add(pet("after"))
      expect(yield* names(store)).toEqual(["before", "after"])
    }
  )

  live("shows what another process wrote at once, and another what it wrote", function* () {
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
})

describe("writes that arrive together", () => {
  for (const action of ["ABORT", "ROLLBACK", "FAIL"]) {
    live(`fail alone when one of them fails with ${action}`, function* () {
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
  }
})

describe("a file that is damaged", () => {
  live("is damaged when a row holds no pet", function* () {
    const { other, store } = yield* setUp
    const once = store.addOnce(pet("Rex"), make("key", 0))
    yield* once
    other.exec("PRAGMA ignore_check_constraints = ON")
    other.exec("UPDATE pets SET name = ''")
    const damaged = { _tag: "StoreUnavailable", reason: "damaged" }
    expect(yield* Effect.flip(store.get(PetId.make(1n)))).toMatchObject(damaged)
    expect(yield* Effect.flip(store.list({ limit }))).toMatchObject(damaged)
    expect(yield* Effect.flip(once)).toMatchObject(damaged)
  })

  live("is a typed failure when it is not a database or cannot be created", function* () {
    const path = yield* folder
    const filename = join(path, "text.db")
    writeFileSync(filename, "this is not a database, but long enough to be read as one".repeat(99))
    const noDatabase = yield* Effect.flip(openStore({ filename }))
    expect(noDatabase).toMatchObject({ _tag: "StoreUnavailable", reason: "damaged" })
    const noFolder = yield* Effect.flip(openStore({ filename: join(filename, "below-a-file.db") }))
    expect(noFolder).toMatchObject({ _tag: "StoreUnavailable", reason: "down" })
    const aFolder = yield* Effect.flip(openStore({ filename: path }))
    expect(aFolder).toMatchObject({ _tag: "StoreUnavailable", reason: "down" })
  })
})

live("finds the pets of a page by an index, without a sort", function* () {
  const statements: Array<string> = []
  yield* beforeStatements((_, sql) => {
    if (sql.endsWith("LIMIT ?")) statements.push(sql)
  })
  const { other, store } = yield* setUp
  yield* store.list({ limit })
  for (const name of filters) yield* store.list({ limit, [name]: "sold" })
  const plans = statements.map((sql) =>
    other.prepare(`EXPLAIN QUERY PLAN ${sql.replaceAll("?", "5")}`).all()
  )
  const found = ["rowid>?", ...filters.map((name) => `${columnsOf([name])}=? AND rowid>?`)]
  expect(plans).toMatchObject(
    found.map((terms) => [{ detail: expect.stringContaining(`(${terms})`) }])
  )
})

it.scopedLive.each([
  ["api_keys WHERE changed > 5", "INDEX api_keys_by_change (changed>?)"],
  [
    "idempotency_keys WHERE at <= 1 ORDER BY at LIMIT 2",
    "COVERING INDEX idempotency_keys_by_time (at<?)"
  ]
] as const)("finds %s by an index", ([rows, index]) =>
  Effect.gen(function* () {
    const { other } = yield* setUp
    const selected = rows.startsWith("idempotency") ? "key" : "*"
    const plan = other.prepare(`EXPLAIN QUERY PLAN SELECT ${selected} FROM ${rows}`).all()
    expect(plan).toMatchObject([{ detail: expect.stringMatching(/^SEARCH \w+ USING /) }])
    expect(plan).toMatchObject([{ detail: expect.stringContaining(index) }])
  })
)

describe("a page that was read before", () => {
  live("is the same value until a commit, and is then read again", function* () {
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
})

live("the last id that was assigned may be raised, but not lowered", function* () {
  const { filename, other, store } = yield* setUp
  expect(yield* SqliteIds.last(filename)).toBe(0n)
  yield* Effect.replicateEffect(store.add(pet("Rex")), 3)
  other.exec("DELETE FROM pets WHERE id > 1")
  yield* SqliteIds.raise(filename, PetId.make(2n))
  expect(yield* SqliteIds.last(filename)).toBe(3n)
  yield* SqliteIds.raise(filename, PetId.make(9_007_199_254_740_993n))
  expect((yield* store.add(pet("Rex"))).id).toBe(9_007_199_254_740_994n)
})

live("the last id that was assigned may be raised in a file without pets", function* () {
  const { filename, store } = yield* setUp
  const executed: Array<string> = []
  yield* beforeStatements((_, sql) => executed.push(sql))
  yield* SqliteIds.raise(filename, PetId.make(3n))
  // Otherwise a power cut may lower it again.
  expect(executed).toContain("PRAGMA synchronous = FULL")
  expect((yield* store.add(pet("Rex"))).id).toBe(4n)
})

live("the last id is neither read nor raised in a file that is missing", function* () {
  const filename = join(yield* folder, "missing.db")
  for (const use of [SqliteIds.last(filename), SqliteIds.raise(filename, PetId.make(3n))]) {
    expect(yield* Effect.flip<unknown, StoreUnavailable, never>(use)).toMatchObject({
      reason: "down"
    })
    expect(existsSync(filename)).toBe(false)
  }
})

const set = Effect.map(setUp, ({ other, store }) => ({
  other,
  store,
  addOnce: (key: string, at: number, name = key) => store.addOnce(pet(name), make(key, at)),
  keys: () => other.prepare("SELECT key FROM idempotency_keys ORDER BY at, key").pluck().all()
}))

describe("expired keys", () => {
  live("are removed by new ones, two by each, the oldest first", function* () {
    const { addOnce, keys } = yield* set
    for (const [nth, key] of ["a", "b", "c", "d", "e"].entries()) yield* addOnce(key, nth)
    yield* addOnce("x", lifetime + 3)
    expect(keys()).toEqual(["c", "d", "e", "x"])
    yield* addOnce("y", lifetime + 3)
    expect(keys()).toEqual(["e", "x", "y"])
    yield* addOnce("z", lifetime + 3)
    expect(keys()).toEqual(["e", "x", "y", "z"])
  })
})

describe("a key whose pet was removed by hand", () => {
  live("is used again", function* () {
    const { addOnce, other, store } = yield* set
    yield* addOnce("key", 0, "Rex")
    other.exec("DELETE FROM pets")
    expect((yield* addOnce("key", 1, "Tom")).pet.id).toBe(2n)
    expect((yield* addOnce("key", 2, "Tom")).pet.id).toBe(2n)
    expect(yield* names(store)).toEqual(["Tom"])
  })
})

describe("an add with a key that fails", () => {
  live("leaves no key", function* () {
    const { addOnce, keys, other, store } = yield* set
    other.exec(`CREATE TRIGGER refuse AFTER INSERT ON idempotency_keys
        BEGIN SELECT raise(ABORT, 'no'); END`)
    yield* Effect.flip(addOnce("key", 0, "Rex"))
    expect(keys()).toEqual([])
    expect(yield* names(store)).toEqual([])
    other.exec("DROP TRIGGER refuse")
    expect((yield* addOnce("key", 0, "Tom")).pet.name).toBe("Tom")
  })
})

describe("a folder for a database", () => {
  it("cannot be created in a current folder that is closed to this user", () => {
    const folder = mkdtempSync(join(tmpdir(), "petstore-folder-"))
    const module = new URL("../dist/internal/DatabaseFile.js", import.meta.url)
    const script = `
      import { chmodSync } from "node:fs"
      import { makeFolder } from "${module}"
      process.chdir("${folder}")
      chmodSync("${folder}", 0)
      // Every folder is open to root.
      if (process.getuid() === 0) process.setuid(65534)
      try { makeFolder("data") } catch (error) { console.log(error.code ?? error.message) }
    `
    const words = ["--input-type=module", "--eval", script]
    const { stderr, stdout } = spawnSync(process.execPath, words, { encoding: "utf8" })
    rmSync(folder, { recursive: true })
    expect([stdout, stderr]).toEqual(["EACCES\n", ""])
  })
})
