import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { describe, expect, onTestFinished, vi } from "@effect/vitest"
import * as Batches from "@petstore/kernel/Batches"
import * as Direct from "@petstore/kernel/Direct"
import { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { Effect, Exit, Fiber, Scope } from "effect"
import { live } from "./support/Steps.ts"

type Reason = StoreUnavailable["reason"]
type Callback = Direct.Callback<ReadonlyArray<string>, StoreUnavailable>

const failure = (reason: Reason) => Exit.fail(new StoreUnavailable({ reason }))

/** Starts a write without a fiber. */
const run = (write: () => Effect.Effect<unknown, unknown>, next = () => {}) =>
  Direct.start(write, next, () => () => {})

/** A queue whose batches are committed by hand. */
const setUp = (patience = 10_000) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const batches: Array<ReadonlyArray<string>> = []
    const sizes: Array<number> = []
    let last: Callback | undefined
    const write = yield* Batches.make<string, string>({
      commit: (batch, callback) => {
        batches.push(batch)
        last = callback
      },
      isPartial: ({ reason }) => reason === "full",
      onBatch: (size) => sizes.push(size),
      patience,
      pause: 1
    }).pipe(Scope.extend(scope))
    const settle = (exit: Parameters<Callback>[0]) =>
      Effect.andThen(
        Effect.sync(() => last?.(exit)),
        Effect.yieldNow()
      )
    return {
      batches,
      /** Of the batches that were committed. */
      sizes,
      write,
      /** Starts a write that waits for the others. */
      start: (value: string) => Effect.zipLeft(Effect.fork(write(value)), Effect.yieldNow()),
      succeed: Effect.suspend(() =>
        settle(Exit.succeed((batches.at(-1) ?? []).map((value) => `written ${value}`)))
      ),
      fail: (reason: Reason) => settle(failure(reason)),
      close: Scope.close(scope, Exit.void)
    }
  })

describe("a batch", () => {
  live("has what arrived while the one before was committed", function* () {
    const { batches, start, succeed } = yield* setUp()
    const fibers = yield* Effect.forEach(["a", "b", "c"], start)
    expect(batches).toEqual([["a"]])
    yield* succeed
    expect(batches).toEqual([["a"], ["b", "c"]])
    yield* succeed
    expect(yield* Fiber.joinAll(fibers)).toEqual(["written a", "written b", "written c"])
  })

  live("after one of several has what their writers write next", function* () {
    const { batches, start, succeed, write } = yield* setUp()
    yield* start("a")
    yield* Effect.fork(Effect.andThen(write("b"), write("e")))
    yield* Effect.yieldNow()
    yield* start("c")
    yield* succeed
    yield* start("d")
    yield* succeed
    yield* Effect.repeat(Effect.sleep("1 millis"), { until: () => batches.length > 2 })
    expect(batches).toEqual([["a"], ["b", "c"], ["d", "e"]])
  })

  live("has what a writer writes at once when it is answered", function* () {
    const { batches, start, succeed, write } = yield* setUp()
    run(
      () => write("a"),
      () => run(() => write("c"))
    )
    yield* start("b")
    yield* succeed
    expect(batches).toEqual([["a"], ["b", "c"]])
  })

  live("does not grow beyond 256", function* () {
    const { batches, start, succeed } = yield* setUp()
    yield* Effect.forEach(Array.from({ length: 300 }, String), start)
    yield* Effect.replicateEffect(succeed, 3)
    expect(batches.map(({ length }) => length)).toEqual([1, 256, 43])
  })

  live("is written one by one if a part of it may succeed", function* () {
    const { batches, fail, sizes, start, succeed } = yield* setUp()
    const [, b, c, d] = yield* Effect.forEach(["a", "b", "c", "d"], start)
    yield* succeed
    yield* fail("full")
    yield* succeed
    yield* fail("full")
    yield* succeed
    expect(batches).toEqual([["a"], ["b", "c", "d"], ["b"], ["c"], ["d"]])
    expect(sizes).toEqual([1, 1, 1])
    if (b === undefined || c === undefined || d === undefined) throw new Error("no fiber")
    expect(yield* Fiber.join(b)).toBe("written b")
    expect(yield* Effect.flip(Fiber.join(c))).toMatchObject({ reason: "full" })
    expect(yield* Fiber.join(d)).toBe("written d")
  })

  live("that is busy fails all that wait for it; one that is down does not", function* () {
    const { batches, fail, start, succeed } = yield* setUp()
    const [a, b] = yield* Effect.forEach(["a", "b"], (value) => start(value))
    yield* fail("busy")
    const [c, d] = yield* Effect.forEach(["c", "d"], (value) => start(value))
    yield* fail("down")
    yield* succeed
    expect(batches).toEqual([["a"], ["c"], ["d"]])
    const exits = yield* Effect.forEach([a, b, c, d], (fiber) =>
      fiber === undefined ? Effect.die("no fiber") : Fiber.await(fiber)
    )
    expect(exits).toEqual([
      failure("busy"),
      failure("busy"),
      failure("down"),
      Exit.succeed("written d")
    ])
  })
})

describe("a batch that is written one by one", () => {
  live("is busy from the first write on that is, and so is all that waits for it", function* () {
    const { batches, fail, start, succeed } = yield* setUp()
    const fibers = yield* Effect.forEach(["a", "b", "c", "d", "e"], start)
    yield* succeed
    const waiting = yield* start("f")
    yield* fail("full")
    yield* fail("full")
    yield* fail("busy")
    // Only "c" has waited for the lock.
    expect(batches).toEqual([["a"], ["b", "c", "d", "e"], ["b"], ["c"]])
    const exits = yield* Effect.forEach([...fibers, waiting], Fiber.await)
    expect(exits).toEqual([
      Exit.succeed("written a"),
      failure("full"),
      ...Array.from({ length: 4 }, () => failure("busy"))
    ])
  })
})

describe("a write that waits", () => {
  live("is never written once it is interrupted, even after a batch that was full", function* () {
    const { batches, start, succeed } = yield* setUp()
    const fibers = yield* Effect.forEach(Array.from({ length: 258 }, String), start)
    yield* succeed
    yield* Fiber.interrupt(fibers.at(-1) ?? expect.unreachable())
    yield* succeed
    expect(batches.map(({ length }) => length)).toEqual([1, 256])
  })

  live("leaves no timer when it is written or interrupted", function* () {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    onTestFinished(() => void vi.useRealTimers())
    const { start, succeed } = yield* setUp()
    yield* start("a")
    const interrupted = yield* start("b")
    expect(vi.getTimerCount()).toBe(2)
    yield* Fiber.interrupt(interrupted)
    expect(vi.getTimerCount()).toBe(1)
    yield* succeed
    expect(vi.getTimerCount()).toBe(0)
  })

  live("is refused as busy when too many wait already", function* () {
    const { write } = yield* setUp()
    for (let nth = 0; nth <= 10_000; nth++) run(() => write("a"))
    expect(yield* Effect.flip(write("d"))).toMatchObject({
      reason: "busy",
      cause: { message: "10000 writes are waiting already" }
    })
  })

  live("is busy when it has waited too long, and is not written", function* () {
    const { batches, start, succeed, write } = yield* setUp(50)
    const first = yield* start("a")
    expect(yield* Effect.flip(write("b"))).toMatchObject({
      reason: "busy",
      cause: { message: "earlier writes take too long" }
    })
    yield* succeed
    expect(yield* Fiber.join(first)).toBe("written a")
    expect(batches).toEqual([["a"]])
  })
})

describe("a queue that is closed", () => {
  live("writes what it accepted, and refuses the rest", function* () {
    // The last one may wait, or be in the batch that is being committed.
    for (const values of [["a", "b"], ["a"]]) {
      const { close, start, succeed, write } = yield* setUp()
      const accepted = yield* Effect.forEach(values, start)
      const closing = yield* Effect.fork(close)
      yield* Effect.yieldNow()
      expect(yield* Effect.flip(write("c"))).toMatchObject({
        reason: "down",
        cause: { message: "the store is closed" }
      })
      for (const _ of values) {
        expect(closing.unsafePoll()).toBeNull()
        yield* succeed
      }
      yield* Fiber.join(closing)
      expect(yield* Fiber.joinAll(accepted)).toEqual(values.map((value) => `written ${value}`))
    }
  })

  live("gives up at the first failure", function* () {
    const { batches, close, fail, start } = yield* setUp()
    const [, waiting] = yield* Effect.forEach(["a", "b"], start)
    const closing = yield* Effect.fork(close)
    yield* Effect.yieldNow()
    yield* fail("down")
    const tried = [...batches]
    // Otherwise the end of a second batch is waited for.
    if (tried.length > 1) yield* fail("down")
    yield* Fiber.join(closing)
    expect(tried).toEqual([["a"]])
    if (waiting === undefined) throw new Error("no fiber")
    expect(yield* Effect.flip(Fiber.join(waiting))).toMatchObject({ reason: "down" })
  })
})

describe("what was written", () => {
  live("is freed by the next short collection of garbage, also after a long one", function* () {
    setFlagsFromString("--expose-gc")
    // As in the service.
    setFlagsFromString("--no-allocation-site-pretenuring")
    const gc: (options?: { readonly type: "minor" }) => void = runInNewContext("gc")
    const write = yield* Batches.make<ReadonlyArray<number>, number>({
      commit: (batch, callback) => queueMicrotask(() => callback(Exit.succeed(batch.map(() => 1)))),
      isPartial: () => false
    }).pipe(Scope.extend(yield* Scope.make()))
    const megabytes = 16
    /** Eight at a time, without fibers. */
    const writeSome = Effect.async<void>((resume) => {
      let left = megabytes * 128
      const next = () => {
        if (--left === 0) resume(Effect.void)
        else if (left > 0) run(() => write(new Array(1024).fill(left)), next)
      }
      for (let writers = 0; writers < 8; writers++) next()
    })
    yield* writeSome
    gc()
    const { heapUsed } = process.memoryUsage()
    yield* writeSome
    for (let times = 0; times < 3; times++) gc({ type: "minor" })
    expect((process.memoryUsage().heapUsed - heapUsed) / 2 ** 20).toBeLessThan(megabytes / 4)
  })
})
