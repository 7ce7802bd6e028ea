/** Imports as callers of the port see them; they cross the store and its thread. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { describe, expect, vi } from "@effect/vitest"
import { PetId } from "@petstore/domain/Pet"
import type { Arrival } from "@petstore/domain/PetStore"
import type { Database } from "better-sqlite3"
import { Array as Arr, Deferred, Effect, Exit, Fiber, Stream } from "effect"
import * as Importer from "../src/internal/Importer.ts"
import * as Thread from "../src/internal/Thread.ts"
import { live, names, pet, setUp } from "./support/SqliteFile.ts"

const arrival = (place: number, id?: bigint): Arrival => ({
  place,
  pet: { ...pet(`import ${place}`), ...(id === undefined ? {} : { id: PetId.make(id) }) }
})
const arrivals = (count: number) => Array.from({ length: count }, (_, nth) => arrival(nth))

/** How many pets are in the file, whose lock must be free. */
const countIn = (database: Database) => {
  database.exec("BEGIN IMMEDIATE")
  database.exec("ROLLBACK")
  return database.prepare("SELECT count(*) FROM pets").pluck().get()
}

describe.concurrent("an import into a SQLite file", () => {
  live("is busy when another holds the lock in the end, and adds nothing", function* () {
    const { other, store } = yield* setUp
    const lock = Effect.sync(() => other.exec("BEGIN IMMEDIATE"))
    const pets = Stream.concat(
      Stream.fromIterable(arrivals(1000)),
      Stream.drain(Stream.fromEffect(lock))
    )
    const failure = yield* Effect.flip(store.addAll(pets))
    expect(failure).toMatchObject({ _tag: "StoreUnavailable", reason: "busy" })
    other.exec("ROLLBACK")
    expect(countIn(other)).toBe(0)
    expect(yield* store.addAll(Stream.fromIterable(arrivals(3)))).toBe(3)
    expect(yield* names(store)).toEqual(["import 0", "import 1", "import 2"])
  })

  live("waits for a lock that is released in time, and blocks no other operation", function* () {
    const { other, store } = yield* setUp
    other.exec("BEGIN IMMEDIATE")
    const importing = yield* Effect.fork(store.addAll(Stream.fromIterable(arrivals(3))))
    yield* Effect.repeatN(Effect.sleep("10 millis"), 30)
    expect(yield* names(store)).toEqual([])
    expect(importing.unsafePoll()).toBeNull()
    other.exec("ROLLBACK")
    expect(yield* Fiber.join(importing)).toBe(3)
  })
})

live("an import counts the pets of all its chunks, and the first ids taken by place", function* () {
  const { store } = yield* setUp
  const inChunks = (pets: ReadonlyArray<Arrival>) =>
    store.addAll(Stream.rechunk(Stream.fromIterable(pets), 2))
  expect(yield* inChunks([arrival(0, 1n), ...arrivals(4)])).toBe(5)
  // Those that are in the import twice are found first.
  const twice = Array.from({ length: 200 }, (_, nth) => arrival(nth + 1, 1000n + BigInt(nth % 40)))
  const refused = yield* Effect.flip(inChunks([arrival(0, 1n), ...twice]))
  expect(refused).toMatchObject({ _tag: "IdsTaken", count: 161 })
  const places = "taken" in refused ? refused.taken.map(({ place }) => place) : []
  expect(places).toEqual([0, ...Array.from({ length: 99 }, (_, nth) => nth + 41)])
})

/** Lets imports have a thread that this function answers. */
const threadThat = (
  ask: (order: unknown, callback: (exit: Exit.Exit<unknown>) => void) => unknown,
  close: Effect.Effect<void> = Effect.void
) =>
  Effect.acquireRelease(
    Effect.sync(() => vi.spyOn(Thread, "start").mockImplementation(() => Object({ ask, close }))),
    (start) => Effect.sync(() => start.mockRestore())
  )

describe("an import whose thread does not answer", () => {
  live("reads only a few chunks more, and is interrupted once the thread has ended", function* () {
    const ended = yield* Deferred.make<void>()
    const orders: Array<unknown> = []
    yield* threadThat((order) => orders.push(order), Deferred.await(ended))
    let read = 0
    const pets = Stream.fromIterable(arrivals(100)).pipe(
      Stream.rechunk(1),
      Stream.tap(() => Effect.sync(() => read++))
    )
    const importing = yield* Effect.forkDaemon(Importer.run("", pets))
    yield* Effect.repeatN(Effect.yieldNow(), 1000)
    expect(orders).toHaveLength(1)
    expect(read).toBeGreaterThan(1)
    expect(read).toBeLessThan(10)
    yield* Fiber.interruptFork(importing)
    yield* Effect.repeatN(Effect.yieldNow(), 1000)
    expect(importing.unsafePoll()).toBeNull()
    yield* Deferred.succeed(ended, undefined)
    yield* Effect.repeatN(Effect.yieldNow(), 1000)
    const exit = importing.unsafePoll()
    expect(exit !== null && Exit.isInterrupted(exit)).toBe(true)
    expect(orders).toHaveLength(1)
  })
})

describe("an import that commits", () => {
  live("gives its outcome, though it is interrupted meanwhile", function* () {
    const committing = yield* Deferred.make<(exit: Exit.Exit<unknown>) => void>()
    const outcome = yield* Deferred.make<unknown, unknown>()
    yield* threadThat((order, callback) =>
      order === "commit"
        ? Deferred.unsafeDone(committing, Exit.succeed(callback))
        : callback(Exit.succeed({ added: 0 }))
    )
    const importing = yield* Importer.run("", Stream.make(arrival(0))).pipe(
      Effect.intoDeferred(outcome),
      Effect.uninterruptible,
      Effect.fork
    )
    const answer = yield* Deferred.await(committing)
    yield* Fiber.interruptFork(importing)
    yield* Effect.yieldNow()
    answer(Exit.succeed({ added: 1 }))
    expect(yield* Deferred.await(outcome)).toBe(1)
  })
})

describe.concurrent("a SQLite file without ids for new pets", () => {
  const last = 2n ** 63n - 1n
  const noId = { reason: "full", cause: { message: "no id is left" } }

  live("says so to an import, and adds nothing", function* () {
    const { other, store } = yield* setUp
    for (const arrivals of [
      [arrival(0, last), arrival(1)],
      [arrival(0, last - 2n), arrival(1), arrival(2), arrival(3)]
    ]) {
      const importing = store.addAll(Stream.fromIterable(arrivals))
      expect(yield* Effect.flip(importing)).toMatchObject(noId)
      expect(countIn(other)).toBe(0)
    }
    // As many as there are ids.
    const arrivals = [arrival(0, last - 2n), arrival(1), arrival(2)]
    expect(yield* store.addAll(Stream.fromIterable(arrivals))).toBe(3)
  })

  live("says so to an add, also to those of a batch that find none", function* () {
    const { store } = yield* setUp
    yield* store.addAll(Stream.make(arrival(0, last - 3n)))
    const adds = Array.from({ length: 10 }, (_, nth) => Effect.either(store.add(pet(`${nth}`))))
    const [failed, added] = Arr.separate(yield* Effect.all(adds, { concurrency: "unbounded" }))
    expect(added.map(({ id }) => id)).toEqual([last - 2n, last - 1n, last])
    expect(failed).toHaveLength(7)
    for (const failure of failed) expect(failure).toMatchObject(noId)
  })
})

describe.concurrent("an import whose thread cannot open the file", () => {
  const ways: ReadonlyArray<readonly [string, (filename: string) => void]> = [
    ["was deleted", rmSync],
    ["was moved", (filename) => renameSync(filename, `${filename}.away`)],
    ["has lost its folder", (filename) => rmSync(dirname(filename), { recursive: true })]
  ]
  for (const [how, lose] of ways) {
    for (const [when, pets] of [
      ["come at once", Stream.fromIterable(arrivals(3))],
      ["take their time", Stream.drain(Stream.fromEffect(Effect.sleep("500 millis")))]
    ] as const) {
      live(`is down, as it ${how}, when its pets ${when}`, function* () {
        const { filename, store } = yield* setUp
        lose(filename)
        const failure = yield* Effect.flip(store.addAll(pets))
        expect(failure).toMatchObject({ _tag: "StoreUnavailable", reason: "down" })
        // An empty file in its place would look as if there had never been a pet.
        expect(existsSync(filename)).toBe(false)
        // The folder is removed when the test is over, so there has to be one.
        yield* Effect.sync(() => mkdirSync(dirname(filename), { recursive: true }))
      })
    }
  }

  live("is damaged when the file is", function* () {
    const { filename, other, store } = yield* setUp
    yield* store.add(pet("first"))
    other.pragma("wal_checkpoint(TRUNCATE)")
    const page = other.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'pets'").pluck()
    const start = 4096 * (Number(page.get()) - 1)
    writeFileSync(filename, readFileSync(filename).fill(0xa5, start, start + 4096))
    const failure = yield* Effect.flip(store.addAll(Stream.fromIterable(arrivals(3))))
    expect(failure).toMatchObject({ _tag: "StoreUnavailable", reason: "damaged" })
  })
})
