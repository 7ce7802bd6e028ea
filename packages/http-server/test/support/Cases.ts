/** Tables of requests and their answers, each tested on every store. */
import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import { exchange } from "./Connection.ts"
import { type Expected, expectResponse } from "./Expected.ts"
import * as Harness from "./Harness.ts"
import type { Request } from "./Request.ts"

/** What is asked, and what is answered; the answer may hang on the id that the next animal gets. */
export type Case = readonly [
  name: string,
  request: Request,
  answer: Expected | ((nextId: number) => Expected)
]

/**
 * One test for each case and store. Nothing but a 201 may leave an animal behind, and ids are given
 * without a gap.
 */
export const suite = (
  title: string,
  cases: ReadonlyArray<Case>,
  options: Omit<Harness.Options, "store"> = {}
): void => {
  for (const [name, store] of Object.entries(Harness.stores)) {
    layer(Harness.layer({ ...options, store }), { excludeTestServices: true })(
      `${title} (${name})`,
      (it) => {
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
      }
    )
  }
}
