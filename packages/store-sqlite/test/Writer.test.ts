import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { describe, expect, vi } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import * as Migrations from "../src/internal/Migrations.ts"
import * as Thread from "../src/internal/Thread.ts"
import * as Writer from "../src/internal/Writer.ts"
import * as SqliteWriter from "../src/SqliteWriter.ts"
import { folder, live, names, pet, setUp } from "./support/SqliteFile.ts"

describe("the writer's thread", () => {
  live("answers each order once, even if it ends", function* () {
    const filename = join(yield* folder, "pets.db")
    yield* Migrations.run(filename)
    const thread = Thread.start(Thread.writer, filename)
    const exits: Array<unknown> = []
    for (let orders = 0; orders < 2; orders++) {
      yield* Effect.async<void>((resume) =>
        thread.ask([], (exit) => {
          exits.push(exit)
          resume(Effect.void)
        })
      )
    }
    // One that has ended already is closed at once.
    for (let times = 0; times < 2; times++) yield* Effect.timeout(thread.close, "20 seconds")
    expect(exits).toEqual([Exit.succeed([]), Exit.succeed([])])
  })

  live("ends if its store is given up while it is opened", function* () {
    const filename = join(yield* folder, "pets.db")
    yield* Migrations.run(filename)
    const start = vi.spyOn(Thread, "start")
    yield* Effect.addFinalizer(() => Effect.sync(() => start.mockRestore()))
    const opening = yield* Effect.fork(Effect.scoped(Writer.make(filename)))
    yield* Effect.yieldNow()
    yield* Fiber.interrupt(opening)
    const threads = start.mock.results.flatMap(({ type, value }) =>
      type === "return" ? [value] : []
    )
    expect(threads.map((thread) => thread.hasEnded())).toEqual([true])
  })

  live("may be loaded before, for one store only", function* () {
    const ref = vi.spyOn(Worker.prototype, "ref")
    const unref = vi.spyOn(Worker.prototype, "unref")
    yield* Effect.addFinalizer(() => Effect.sync(() => vi.restoreAllMocks()))
    yield* SqliteWriter.preload
    // Until it is used, it does not keep the process running.
    expect([unref.mock.contexts.length, ref.mock.contexts.length]).toEqual([1, 0])
    const stores = [yield* setUp, yield* setUp]
    expect(unref.mock.contexts).toHaveLength(1)
    expect(ref.mock.contexts[0]).toBe(unref.mock.contexts[0])
    for (const { store } of stores) yield* store.add(pet("one"))
    for (const { store } of stores) expect(yield* names(store)).toEqual(["one"])
  })

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
})
