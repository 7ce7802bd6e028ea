/** The query of a list: limit, status and cursor. */
import { expect, layer } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { list, suites } from "./cases/query.ts"
import { run } from "./support/Cases.ts"
import { exchange } from "./support/Connection.ts"
import * as Harness from "./support/Harness.ts"

run(suites)

layer(Harness.layer(), { excludeTestServices: true })("a parameter that is repeated", (it) => {
  it.effect("thousands of times does not hold up everybody else", () =>
    Effect.gen(function* () {
      const queries = [1, 2, 3, 4, 5].map((at) => `${at}${"&a".repeat(8000)}`)
      const [spent] = yield* Effect.timed(Effect.forEach(queries, (query) => exchange(list(query))))
      // In step with its length each takes some milliseconds; with its square, seconds.
      expect(Duration.toSeconds(spent)).toBeLessThan(4)
    })
  )
})
