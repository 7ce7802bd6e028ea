import { describe, expect } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber } from "effect"
import * as SharedReads from "../src/internal/SharedReads.ts"
import { live } from "./support/Databases.ts"

/** Reads texts, whose first letter is their key, and fails for those with a question mark. */
const setUp = () => {
  const turns: Array<ReadonlyArray<string>> = []
  const read = SharedReads.make<string, string, string>(
    (what) => what[0],
    (reads) => {
      turns.push(reads.map(({ what }) => what))
      for (const { settle, what } of reads) {
        settle(what.includes("?") ? Exit.fail(what) : Exit.succeed(`read ${what}`))
      }
    }
  )
  return { read, turns }
}
const all = { concurrency: "unbounded" } as const

describe("reads", () => {
  live("of one turn are made together", function* () {
    const { read, turns } = setUp()
    const results = yield* Effect.all([read("a"), read("b")], all)
    expect(results).toEqual(["read a", "read b"])
    expect(turns).toEqual([["a", "b"]])
  })

  live("with the same key are made once, and each gets the result", function* () {
    const { read, turns } = setUp()
    const results = yield* Effect.all([read("a1"), read("b"), read("a2")], all)
    expect(results).toEqual(["read a1", "read b", "read a1"])
    expect(turns).toEqual([["a1", "b"]])
  })

  live("of different turns are made again, since the data may have changed", function* () {
    const { read, turns } = setUp()
    yield* read("a")
    yield* read("a")
    expect(turns).toEqual([["a"], ["a"]])
  })

  live("fail one by one", function* () {
    const { read } = setUp()
    const exits = yield* Effect.all([read("a?"), read("b"), read("a?")].map(Effect.exit), all)
    expect(exits).toEqual([Exit.fail("a?"), Exit.succeed("read b"), Exit.fail("a?")])
  })

  live("that are interrupted do not stop the others", function* () {
    const { read } = setUp()
    const [first, second] = yield* Effect.all([Effect.fork(read("a")), Effect.fork(read("a"))])
    yield* Effect.yieldNow()
    const interrupted = yield* Fiber.interrupt(first)
    expect(Exit.isFailure(interrupted) && Cause.isInterrupted(interrupted.cause)).toBe(true)
    expect(yield* Fiber.join(second)).toBe("read a")
  })

  live("are not made if their callers have gone before the end of the turn", function* () {
    const { read, turns } = setUp()
    const gone = yield* Effect.fork(read("a"))
    yield* Effect.yieldNow()
    yield* Fiber.interrupt(gone)
    yield* read("b")
    expect(turns).toEqual([["b"]])
  })
})
