/** The query of a list: limit, status and cursor. */
import { describe, expect } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { list, suites } from "./cases/query.ts"
import { run } from "./support/Cases.ts"
import { exchange } from "./support/Connection.ts"
import { served } from "./support/Served.ts"

run(suites)

describe("a parameter that is repeated", () => {
  served()("thousands of times does not hold up everybody else", function* () {
    const queries = [1, 2, 3, 4, 5].map((at) => `${at}${"&a".repeat(8000)}`)
    const spent = yield* Effect.forEach(queries, (query) => Effect.timed(exchange(list(query))))
    // In step with its length each takes some milliseconds; with its square, seconds. Other programs may delay some of them.
    expect(Math.min(...spent.map(([time]) => Duration.toSeconds(time)))).toBeLessThan(0.8)
  })
})
