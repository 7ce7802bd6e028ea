/** Runs tables of requests and their answers, on the store in memory: the laws of stores make others unnecessary. */
import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import { exchange } from "./Connection.ts"
import { expectResponse } from "./Expected.ts"
import * as Harness from "./Harness.ts"
import type { Suite } from "./Suites.ts"

/**
 * One test for each case. Nothing but a 201 may leave an animal behind, and ids are given
 * without a gap.
 */
export const suite = (
  title: string,
  cases: Suite["cases"],
  options: Suite["options"] = {}
): void => {
  layer(Harness.layer(options), { excludeTestServices: true })(title, (it) => {
    for (const [behaviour, request, answer] of cases) {
      it.effect(behaviour, () =>
        Effect.gen(function* () {
          const before = yield* Harness.count
          const response = yield* exchange(request)
          const expected = typeof answer === "function" ? answer(before + 1) : answer
          expectResponse(response, expected)
          expect(yield* Harness.count).toBe(before + (expected.status === 201 ? 1 : 0))
        })
      )
    }
  })
}

/** One test for each case of these tables. */
export const run = (suites: ReadonlyArray<Suite>): void => {
  for (const { cases, options, title } of suites) suite(title, cases, options)
}
