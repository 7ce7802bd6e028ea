/** Requests that are repeated with an Idempotency-Key. */
// Not `it.scoped`: `layer` in another file replaces it for all that follow.
import { describe, expect, it, scoped } from "@effect/vitest"
import { StoreUnavailable } from "@petstore/domain/StoreUnavailable"
import { Effect, TestClock } from "effect"
import { exchange } from "./support/Connection.ts"
import { created, expectResponse, invalidBody, refusal, replayed } from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import { create, keys, type Request } from "./support/Request.ts"
import type { Response } from "./support/Response.ts"

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
  scoped("gives the first answer again and says so, whatever the body's spelling", () =>
    Effect.gen(function* () {
      expectResponse(yield* exchange(withKey("k")), firstRex)
      expectResponse(yield* exchange(withKey("k")), again)
      const spelled = '{ "status": "sold", "categoryId": 1.0, "name": "\\u0052ex", "id": 7 }'
      expectResponse(yield* exchange(withKey("k", spelled)), again)
      expect(yield* Harness.count).toBe(1)
    }).pipe(Effect.provide(Harness.layer()))
  )

  scoped("is refused with another body, and the first answer stays", () =>
    Effect.gen(function* () {
      expectResponse(yield* exchange(withKey("k")), firstRex)
      expectResponse(yield* exchange(withKey("k", tom)), reused)
      expectResponse(yield* exchange(withKey("k")), again)
      expect(yield* Harness.count).toBe(1)
    }).pipe(Effect.provide(Harness.layer()))
  )

  scoped("has its answer for 24 hours", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1000)
      expectResponse(yield* exchange(withKey("k")), firstRex)
      yield* TestClock.setTime(1000 + 86_400_000 - 1)
      expectResponse(yield* exchange(withKey("k")), again)
      yield* TestClock.setTime(1000 + 86_400_000)
      expectResponse(yield* exchange(withKey("k", tom)), created('"name":"Tom","categoryId":1')(2))
    }).pipe(Effect.provide(Harness.layer()))
  )

  scoped("is its API key's alone", () =>
    Effect.gen(function* () {
      expectResponse(yield* exchange(withKey("k")), firstRex)
      const other = yield* exchange(withKey("k", rex, { key: keys.write }))
      expectResponse(other, created('"name":"Rex","categoryId":1,"status":"sold"')(2))
    }).pipe(Effect.provide(Harness.layer()))
  )

  scoped("is one pet when many arrive at once", () =>
    Effect.gen(function* () {
      const all = yield* Effect.replicateEffect(exchange(withKey("k")), 24, {
        concurrency: "unbounded"
      })
      const isFirst = ({ headers }: Response) =>
        headers.every(([name]) => name !== "Idempotent-Replayed")
      for (const response of all) expectResponse(response, isFirst(response) ? firstRex : again)
      expect(all.filter(isFirst)).toHaveLength(1)
      expect(yield* Harness.count).toBe(1)
    }).pipe(Effect.provide(Harness.layer()))
  )

  scoped("leaves nothing behind when it is refused", () =>
    Effect.gen(function* () {
      const noName = invalidBody("name is required")
      expectResponse(yield* exchange(withKey("k", '{"categoryId":1}')), noName)
      expect((yield* exchange(withKey("k", rex, { key: null }))).status).toBe(401)
      expect((yield* exchange(withKey("k", rex, { key: keys.read }))).status).toBe(403)
      expect((yield* exchange(withKey("k", rex, { type: null }))).status).toBe(415)
      expectResponse(yield* exchange(withKey("k")), firstRex)
    }).pipe(Effect.provide(Harness.layer()))
  )
})

describe("a key", () => {
  const longest = "~!".repeat(127).concat("x")
  const same: ReadonlyArray<readonly [one: string, other: string]> = [
    ["abc", '"abc"'],
    ["  abc  ", "abc"],
    [longest, `"${longest}"`],
    ['a"b\\c', '"a\\"b\\\\c"'],
    ["a,b;c=d", '"a,b;c=d"']
  ]
  for (const [one, other] of same) {
    scoped(`may be ${one.slice(0, 20)} or ${other.slice(0, 20)}`, () =>
      Effect.gen(function* () {
        expectResponse(yield* exchange(withKey(one)), firstRex)
        expectResponse(yield* exchange(withKey(other)), again)
        expectResponse(yield* exchange(withKey(one, tom)), reused)
      }).pipe(Effect.provide(Harness.layer()))
    )
  }

  const wrong = {
    empty: "",
    "empty in quotes": '""',
    "too long": `${longest}x`,
    "too long in quotes": `"${longest}x"`,
    "with a space": "a b",
    "with a space in quotes": '"a b"',
    "with a tab": "a\tb",
    "not ASCII": "caf\xe9",
    "not ASCII in quotes": '"caf\xe9"',
    "a quote without its pair": '"abc',
    "a quote": '"',
    "wrongly escaped": '"a\\b"',
    "with an escape at its end": '"abc\\"',
    "with parameters": '"abc";a=1',
    "two of them": '"abc", "def"'
  }
  for (const [what, header] of Object.entries(wrong)) {
    scoped(`is refused if it is ${what}`, () =>
      Effect.gen(function* () {
        expectResponse(yield* exchange(withKey(header)), malformed)
        expect(yield* Harness.count).toBe(0)
      }).pipe(Effect.provide(Harness.layer()))
    )
  }

  scoped("is refused if it is sent twice, even if both are the same", () =>
    Effect.gen(function* () {
      const headers = ["Idempotency-Key: abc", "Idempotency-Key: abc"]
      expectResponse(yield* exchange({ ...create(rex), headers }), malformed)
      expect(yield* Harness.count).toBe(0)
    }).pipe(Effect.provide(Harness.layer()))
  )

  scoped("is of no interest to other operations", () =>
    Effect.gen(function* () {
      const headers = ['Idempotency-Key: "']
      expect((yield* exchange({ target: "/v1/pets", headers })).status).toBe(200)
      expect((yield* exchange({ target: "/v1/pets/1", headers })).status).toBe(404)
    }).pipe(Effect.provide(Harness.layer()))
  )
})

describe("a store", () => {
  it.scopedLive("that is not available is a 503, with a key or without", () =>
    Effect.gen(function* () {
      const unavailable = refusal("unavailable", "the store is busy", ["Retry-After: 1"])
      expectResponse(yield* exchange(withKey("k")), unavailable)
    }).pipe(
      Effect.provide(
        Harness.layer({
          store: Harness.storeWith(() => ({
            addOnce: () => new StoreUnavailable({ reason: "busy" })
          }))
        })
      )
    )
  )
})
