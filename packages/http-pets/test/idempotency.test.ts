/** Requests that are repeated with an Idempotency-Key. */
// Not `it.scoped`: `layer` in another file replaces it for all that follow.
import { describe, expect } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import type { Response } from "../../http-transport/test/support/Response.ts"
import { exchange } from "./support/Conformance.ts"
import { created, expectResponse, invalidBody, refusal, replayed } from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import { create, keys, type Request } from "./support/Request.ts"
import { clocked } from "./support/Served.ts"

const rex = '{"name":"Rex","categoryId":1,"status":"sold"}'
const tom = '{"name":"Tom","categoryId":1}'

const withKey = (header: string, body = rex, request: Partial<Request> = {}): Request => ({
  ...create(body),
  headers: [`Idempotency-Key: ${header}`],
  ...request
})
const firstRex = created('"name":"Rex","categoryId":1,"status":"sold"')(1)
const again = replayed(firstRex)
const reused = refusal(
  "idempotency_key_reused",
  "this Idempotency-Key was used with another body: use a new one for another pet"
)
const malformed = refusal(
  "bad_request",
  "idempotency-key must be 1 to 255 visible ASCII characters, in quotes or not"
)

describe("a create with a key", () => {
  clocked()("gives the first answer again and says so, whatever the body's spelling", function* () {
    expectResponse(yield* exchange(withKey("k")), firstRex)
    expectResponse(yield* exchange(withKey("k")), again)
    const spelled = '{ "status": "sold", "categoryId": 1.0, "name": "\\u0052ex", "id": 7 }'
    expectResponse(yield* exchange(withKey("k", spelled)), again)
    expect(yield* Harness.count).toBe(1)
  })

  clocked()("is refused with another body, and the first answer stays", function* () {
    expectResponse(yield* exchange(withKey("k")), firstRex)
    expectResponse(yield* exchange(withKey("k", tom)), reused)
    expectResponse(yield* exchange(withKey("k")), again)
    expect(yield* Harness.count).toBe(1)
  })

  clocked()("has its answer for 24 hours", function* () {
    yield* TestClock.setTime(1000)
    expectResponse(yield* exchange(withKey("k")), firstRex)
    yield* TestClock.setTime(1000 + 86_400_000 - 1)
    expectResponse(yield* exchange(withKey("k")), again)
    yield* TestClock.setTime(1000 + 86_400_000)
    expectResponse(yield* exchange(withKey("k", tom)), created('"name":"Tom","categoryId":1')(2))
  })

  clocked()("is its API key's alone", function* () {
    expectResponse(yield* exchange(withKey("k")), firstRex)
    const other = yield* exchange(withKey("k", rex, { key: keys.write }))
    expectResponse(other, created('"name":"Rex","categoryId":1,"status":"sold"')(2))
  })

  clocked()("is one pet when many arrive at once", function* () {
    const all = yield* Effect.replicateEffect(exchange(withKey("k")), 24, {
      concurrency: "unbounded"
    })
    const isFirst = ({ headers }: Response) =>
      headers.every(([name]) => name !== "Idempotent-Replayed")
    for (const response of all) expectResponse(response, isFirst(response) ? firstRex : again)
    expect(all.filter(isFirst)).toHaveLength(1)
    expect(yield* Harness.count).toBe(1)
  })

  clocked()("leaves nothing behind when it is refused", function* () {
    const noName = invalidBody("name is required")
    expectResponse(yield* exchange(withKey("k", '{"categoryId":1}')), noName)
    expectResponse(yield* exchange(withKey("k", '{"categoryId":1}')), noName)
    expect((yield* exchange(withKey("k", rex, { key: null }))).status).toBe(401)
    expect((yield* exchange(withKey("k", rex, { key: keys.read }))).status).toBe(403)
    expect((yield* exchange(withKey("k", rex, { type: null }))).status).toBe(415)
    expectResponse(yield* exchange(withKey("k")), firstRex)
  })
})

describe("a key", () => {
  // Its own tests have all of its forms.
  clocked()("may be in quotes or not", function* () {
    expectResponse(yield* exchange(withKey("  a,b;c=d  ")), firstRex)
    expectResponse(yield* exchange(withKey('"a,b;c=d"')), again)
    expectResponse(yield* exchange(withKey("a,b;c=d", tom)), reused)
  })

  clocked()("is refused if it is malformed or sent twice", function* () {
    expectResponse(yield* exchange(withKey("a b")), malformed)
    const headers = ["Idempotency-Key: abc", "Idempotency-Key: abc"]
    expectResponse(yield* exchange({ ...create(rex), headers }), malformed)
    expect(yield* Harness.count).toBe(0)
  })

  clocked()("is of no interest to other operations", function* () {
    const headers = ['Idempotency-Key: "']
    expect((yield* exchange({ target: "/v1/pets", headers })).status).toBe(200)
    expect((yield* exchange({ target: "/v1/pets/1", headers })).status).toBe(404)
  })
})
