/** Filling and reading a store of keys through its port. */
import type { ApiKey } from "@petstore/access/ApiKey"
import { ApiKeyStore, type KeyChanges } from "@petstore/access/ApiKeyStore"
import type { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import * as Effect from "effect/Effect"
import { expectSame, type Mismatch } from "../Mismatch.ts"
import { concurrency } from "./Contents.ts"

type Checked = Effect.Effect<void, Mismatch | StoreUnavailable, ApiKeyStore>
type Answer = Effect.Effect<boolean, StoreUnavailable>

/** Adds the keys, many at once so that a store can batch them, and expects that all were added. */
export const addKeys = (keys: ReadonlyArray<ApiKey>): Checked =>
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const answers = yield* Effect.forEach(keys, store.add, { concurrency })
    yield* expectSame(
      "the answers to add",
      answers,
      keys.map(() => true)
    )
  })

/** Expects a store to have these keys, given in any order, and no others. */
export const expectKeys = (keys: ReadonlyArray<ApiKey>, what = "the list"): Checked =>
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    yield* expectSame(what, yield* store.list, byAge(keys))
  })

/** Expects the result true, and the store to have these keys afterwards. */
export const expectDone = (what: string, answer: Answer, keys: ReadonlyArray<ApiKey>): Checked =>
  Effect.gen(function* () {
    yield* expectSame(what, yield* answer, true)
    yield* expectKeys(keys, `the list after ${what}`)
  })

/** Expects the result false, and the store to have the keys that it had before. */
export const expectRefused = (what: string, answer: Answer): Checked =>
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const before = structuredClone(yield* store.list)
    yield* expectSame(what, yield* answer, false)
    yield* expectSame(`the list after ${what}`, yield* store.list, before)
  })

/** Expects changes to have these keys, in any order, and this `isAll`. */
export const expectChanges = (
  what: string,
  { isAll, keys }: KeyChanges,
  expected: Omit<KeyChanges, "version">
): Effect.Effect<void, Mismatch> =>
  expectSame(what, { keys: byAge(keys), isAll }, { ...expected, keys: byAge(expected.keys) })

/** Runs all of these at once, expects exactly one to succeed, and returns which. */
export const expectOneDone = (
  what: string,
  answers: ReadonlyArray<Answer>
): Effect.Effect<number, Mismatch | StoreUnavailable> =>
  Effect.gen(function* () {
    const all = yield* Effect.all(answers, { concurrency })
    yield* expectSame(`how many of ${what} are done`, all.filter((done) => done).length, 1)
    return all.indexOf(true)
  })

const byAge = (keys: ReadonlyArray<ApiKey>): Array<ApiKey> =>
  keys.toSorted((a, b) => a.created - b.created || (a.id < b.id ? -1 : 1))
