/** The tables of requests and their answers, and what a table cannot say of them. */
import { describe, expect } from "@effect/vitest"
import { Duration, Effect, TestClock } from "effect"
import { suites as fields } from "./cases/fields.ts"
import { list, suites as requests } from "./cases/requests.ts"
import { exchange } from "./support/Conformance.ts"
import { deprecation, expectResponse, found, refusal, toHead } from "./support/Expected.ts"
import { create } from "./support/Request.ts"
import { clocked, run, served } from "./support/Served.ts"

run([...fields, ...requests])

describe("a parameter that is repeated", () => {
  served()("thousands of times does not hold up everybody else", function* () {
    const queries = [1, 2, 3, 4, 5].map((at) => `${at}${"&a".repeat(8000)}`)
    const spent = yield* Effect.forEach(queries, (query) => Effect.timed(exchange(list(query))))
    // In step with its length each takes some milliseconds; with its square, seconds. Other programs may delay some of them.
    expect(Math.min(...spent.map(([time]) => Duration.toSeconds(time)))).toBeLessThan(0.8)
  })
})

clocked()("it is removed on 5 December 2030, to the millisecond", function* () {
  const target = "/v1/pets/1?limit=0&cursor=x"
  yield* exchange(create('{"name":"n","categoryId":1}'))
  yield* TestClock.setTime(Date.UTC(2030, 11, 5) - 1)
  const pet = found('{"id":1,"name":"n","categoryId":1}', deprecation)
  expectResponse(yield* exchange({ target }), pet)
  expectResponse(yield* exchange({ target, method: "HEAD" }), toHead(pet))
  yield* TestClock.adjust(1)
  const gone = refusal("gone", "this operation is gone; use /v1/pets instead", deprecation)
  expectResponse(yield* exchange({ target }), gone)
})
