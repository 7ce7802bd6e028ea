import { join } from "node:path"
import { describe, expect } from "@effect/vitest"
import { valuesOf } from "@petstore/store-sql/PetRow"
import Database from "better-sqlite3"
import { Effect, Exit, Fiber, Scope } from "effect"
import * as Migrations from "../src/internal/Migrations.ts"
import * as Writer from "../src/internal/Writer.ts"
import { connect, folder, live, names, openStore, pet, setUp } from "./support/SqliteFile.ts"

/** A writer, and another connection that holds the lock: the first write waits for it in the thread. */
const setUpWriter = (options: { readonly maxWaiting?: number } = {}) =>
  Effect.gen(function* () {
    const filename = join(yield* folder, "pets.db")
    yield* Migrations.run(filename)
    const write = yield* Writer.make({ filename, busyMillis: 60_000 }, options)
    const other = yield* connect(filename)
    other.exec("BEGIN IMMEDIATE")
    const add = (name: string) => write("pets.add", valuesOf(pet(name)))
    const first = yield* Effect.fork(add("first"))
    yield* Effect.yieldNow()
    return {
      add,
      /** Releases the lock, and waits until what was written before it is on disk. */
      release: Effect.suspend(() => {
        other.exec("ROLLBACK")
        return Effect.zipRight(Fiber.join(first), add("last"))
      }),
      names: () => other.prepare("SELECT name FROM pets ORDER BY id").pluck().all()
    }
  })

describe("a write that waits for others", () => {
  live("is never written once it is interrupted", function* () {
    const { add, names, release } = yield* setUpWriter()
    const kept = yield* Effect.fork(add("kept"))
    const interrupted = yield* Effect.fork(add("interrupted"))
    yield* Effect.yieldNow()
    yield* Fiber.interrupt(interrupted)
    yield* release
    yield* Fiber.join(kept)
    expect(names()).toEqual(["first", "kept", "last"])
  })

  live("is refused as busy when too many wait already, and taken when they are done", function* () {
    const { add, names, release } = yield* setUpWriter({ maxWaiting: 3 })
    const kept = yield* Effect.forEach(["a", "b"], (name) => Effect.fork(add(name)))
    const leaving = yield* Effect.fork(add("c"))
    yield* Effect.yieldNow()
    expect(yield* Effect.flip(add("too many"))).toMatchObject({
      _tag: "StoreUnavailable",
      reason: "busy",
      cause: { message: "3 writes are waiting already" }
    })
    // A write that leaves makes room for another.
    yield* Fiber.interrupt(leaving)
    const next = yield* Effect.fork(add("d"))
    yield* Effect.yieldNow()
    yield* release
    yield* Fiber.joinAll([...kept, next])
    expect(names()).toEqual(["first", "a", "b", "d", "last"])
  })

  live("is interrupted at the same cost, however many wait", function* () {
    const { add } = yield* setUpWriter({ maxWaiting: 100_000 })
    const wait = (count: number) =>
      Effect.forEach(Array.from({ length: count }), () => Effect.fork(add("waits")))
    /** How long it takes two hundred to leave; the best of many, since a collection of garbage may fall into one. */
    const leaving = Effect.gen(function* () {
      let best = Number.POSITIVE_INFINITY
      for (let round = 0; round < 20; round++) {
        const fibers = yield* wait(200)
        yield* Effect.yieldNow()
        const before = performance.now()
        yield* Fiber.interruptAll(fibers)
        best = Math.min(best, performance.now() - before)
      }
      return best
    })
    yield* wait(250)
    // The first rounds are slow whatever waits: the code is not compiled yet.
    yield* leaving
    const few = yield* leaving
    yield* wait(10_000)
    const many = yield* leaving
    // Looking through all that wait would take some twenty times as long.
    expect(many / few).toBeLessThan(10)
  })
})

describe("the writer's thread", () => {
  live("fails all that wait behind a lock at once, not one batch after another", function* () {
    const { other, store } = yield* setUp
    other.exec("BEGIN IMMEDIATE")
    const writes = Array.from({ length: 1000 }, (_, index) => store.add(pet(`pet ${index}`)))
    const results = yield* Effect.all(writes.map(Effect.flip), { concurrency: "unbounded" }).pipe(
      Effect.timeout("10 seconds")
    )
    expect(new Set(results.map((failure) => failure.reason))).toEqual(new Set(["busy"]))
    other.exec("ROLLBACK")
    yield* store.add(pet("after"))
    expect(yield* names(store)).toEqual(["after"])
  })

  live("ends soon, though it waits for a lock", function* () {
    const filename = join(yield* folder, "pets.db")
    const scope = yield* Scope.make()
    const store = yield* openStore({ filename, busyTimeout: "1 minute" }).pipe(Scope.extend(scope))
    const other = new Database(filename)
    other.exec("BEGIN IMMEDIATE")
    const writing = yield* Effect.fork(Effect.flip(store.add(pet("never"))))
    yield* Effect.sleep("50 millis")
    yield* Effect.timeout(Scope.close(scope, Exit.void), "20 seconds")
    expect(yield* Fiber.join(writing)).toMatchObject({ reason: "busy" })
    other.exec("ROLLBACK")
    expect(other.prepare("SELECT count(*) FROM pets").pluck().get()).toBe(0)
    other.close()
  })
})
