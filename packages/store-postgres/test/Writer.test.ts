/** The queue of one server, on a database that answers when a test says so. */
import { describe, expect } from "@effect/vitest"
import * as Idempotency from "@petstore/domain/Idempotency"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { Effect, Exit, Fiber } from "effect"
import type { Send } from "../src/internal/ConnectionPool.ts"
import * as PostgresFailure from "../src/internal/PostgresFailure.ts"
import * as Writer from "../src/internal/Writer.ts"
import { live, pet } from "./support/Databases.ts"

const over = Exit.fail(PostgresFailure.from(new Error("the test is over")))

/** A queue that has sent its first pet and waits for the answer. */
const setUp = Effect.gen(function* () {
  /** The name of each prepared statement, with its values. */
  const sent: Array<ReadonlyArray<unknown>> = []
  const callbacks: Array<(exit: Exit.Exit<unknown, StoreUnavailable>) => void> = []
  let isOver = false
  const send: Send = (statement, values, callback) => {
    if (isOver) return callback(over)
    sent.push([Object(statement).name, ...values])
    callbacks.push((exit) => callback(Object(exit)))
  }
  const write = yield* Writer.make({ patience: 60_000, send })
  const add = (name: string, once?: Idempotency.Idempotency) =>
    Effect.fork(write({ pet: pet(name), ...(once && { once }) })).pipe(
      Effect.zipLeft(Effect.yieldNow())
    )
  /** Answers the statement that was sent last. */
  const answer = (exit: Exit.Exit<unknown, StoreUnavailable>) => callbacks.pop()?.(exit)
  // The queue waits for all answers when it is closed.
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      isOver = true
      answer(over)
    })
  )
  const first = yield* add("first")
  return { add, answer, first, sent }
})

const done = (last: bigint) => Exit.succeed([[last]])

describe("pets that wait", () => {
  live("get ids in their order, also in the largest batch", function* () {
    const { add, answer } = yield* setUp
    const added = yield* Effect.forEach(Array(256), (_, nth) => add(`${nth}`))
    answer(done(1n))
    answer(done(257n))
    const results = yield* Fiber.join(Fiber.all(added))
    expect(results.map(({ pet: { id, name } }) => [id, name])).toEqual(
      results.map((_, nth) => [BigInt(nth + 2), `${nth}`])
    )
  })

  for (const [code, how, statements] of [
    ["55P03", "fail when those before them did not get a lock in time", 1],
    ["XX001", "are tried when those before them failed for another reason", 2]
  ] as const) {
    live(how, function* () {
      const { add, answer, first, sent } = yield* setUp
      const second = yield* add("second")
      const failed = Exit.fail(PostgresFailure.from(Object.assign(new Error(), { code })))
      answer(failed)
      expect(yield* Fiber.await(first)).toEqual(failed)
      expect(sent.length).toBe(statements)
      if (statements === 1) expect(yield* Fiber.await(second)).toEqual(failed)
    })
  }

  live("have a new plan once the table of keys is four times as large", function* () {
    const { add, answer, sent } = yield* setUp
    answer(done(1n))
    for (const bytes of [0n, 3n, 4n, 15n, 16n]) {
      yield* add("Rex", Idempotency.make(`${bytes}`, 0))
      answer(Exit.succeed([[1n, bytes, null]]))
    }
    yield* add("Rex")
    answer(done(1n))
    yield* add("Rex", Idempotency.make("last", 0))
    expect(sent.map(([name]) => name)).toEqual([
      "petstore_add",
      ...[1, 1, 1, 2, 2].map((size) => `petstore_add_once_${size}`),
      "petstore_add",
      "petstore_add_once_3"
    ])
  })
})

describe("a pet", () => {
  live("is not added if the table of ids is empty: the database is damaged", function* () {
    const { answer, first } = yield* setUp
    answer(Exit.succeed([]))
    expect(yield* Effect.flip(Fiber.join(first))).toMatchObject({
      reason: "damaged",
      cause: { message: "the table pet_ids has no row" }
    })
  })
})
