/** Internal failures: logged in full, and reported to the caller without details. */
import { describe, expect } from "@effect/vitest"
import { StoreUnavailable } from "@petstore/kernel/StoreUnavailable"
import { Effect } from "effect"
import { exchange } from "./support/Connection.ts"
import { expectResponse, found, refusal, toHead, withId } from "./support/Expected.ts"
import * as Logs from "./support/Logs.ts"
import { create, keys, type Request } from "./support/Request.ts"
import { headerOf } from "./support/Response.ts"
import { served } from "./support/Served.ts"
import type { Change } from "./support/Things.ts"

const secret = "SELECT secret FROM /var/lib/things.db"

/** A shelf that does this whatever it is asked. */
const always =
  (effect: Effect.Effect<never, StoreUnavailable>): Change =>
  () => ({ add: () => effect, get: () => effect, list: () => effect })

const operations: Readonly<Record<string, Request>> = {
  "a read": { target: "/v1/things" },
  "a create": create('{"name":"n","count":1}')
}

describe("a store that cannot answer", () => {
  for (const { cause = new Error(secret), reason, seconds } of [
    { reason: "busy", seconds: 1 },
    { reason: "full", seconds: 30 },
    // It may be a standby that is about to be the primary, unless the service is set to be read-only.
    { reason: "read-only", seconds: 1 },
    { reason: "read-only", cause: null, seconds: 30 }
  ] as const) {
    const error = new StoreUnavailable({ reason, ...(cause && { cause }) })
    const logs = Logs.make()
    served({ shelf: always(error), logger: logs.layer })(
      `makes operations unavailable when it is ${reason}, for ${seconds} s, and logs each cause`,
      function* () {
        const headers = [`Retry-After: ${seconds}`]
        const unavailable = refusal("unavailable", `the store is ${reason}`, headers)
        for (const request of Object.values(operations))
          expectResponse(yield* exchange(request), unavailable)
        const head = yield* exchange({ target: "/v1/things", method: "HEAD" })
        expectResponse(head, toHead(unavailable))
        const lines = logs.lines.filter(({ message }) => message === "the cause of a refusal")
        expect(lines.map(({ level }) => level)).toEqual(["DEBUG", "DEBUG", "DEBUG"])
        for (const line of lines) {
          expect(line.cause).toContain(cause ? secret : `the store is ${reason}`)
          expect(line.annotations).toHaveProperty("requestId")
        }
      }
    )
  }
})

const fail = () => {
  throw new TypeError(secret)
}
const defects: Readonly<Record<string, Change>> = {
  dies: always(Effect.die(new Error(secret))),
  "dies later": always(Effect.delay(Effect.die(new Error(secret)), "20 millis")),
  "dies with a value that is not an error": always(Effect.die({ secret })),
  throws: always(Effect.suspend(fail)),
  "throws before it begins": () => ({ add: fail, get: fail, list: fail })
}

describe("a defect", () => {
  for (const [how, shelf] of Object.entries(defects)) {
    for (const [name, request] of Object.entries(operations)) {
      const logs = Logs.make()
      const test = served({ shelf, logger: logs.layer })
      test(`is logged and not shown to the caller: the handler of ${name} ${how}`, function* () {
        const id = "caller-1"
        const response = yield* exchange({ ...request, headers: [`X-Request-Id: ${id}`] })
        const failed = refusal("internal_error", `something went wrong; tell us the id ${id}`)
        expectResponse(response, withId(failed, id))
        yield* Effect.sleep("10 millis")
        const errors = logs.lines.filter((line) => line.level === "ERROR")
        expect(errors).toMatchObject([{ annotations: { requestId: id } }])
        expect(errors[0]?.cause).toContain(secret)
        expect(JSON.stringify(logs.lines)).not.toContain(keys.all)
        const other = yield* exchange(request)
        expect(other.body).toContain(`tell us the id ${headerOf(other, "X-Request-Id")}`)
      })
    }
  }

  const logs = Logs.make()
  const test = served({ shelf: () => ({ get: () => Effect.interrupt }), logger: logs.layer })
  test("is logged when a handler was interrupted from within, and others go on", function* () {
    for (let at = 0; at < 5; at++) {
      expect((yield* exchange({ target: "/v1/things/1" })).status).toBe(500)
      expectResponse(yield* exchange({ target: "/v1/things" }), found("[]"))
    }
    yield* Effect.sleep("10 millis")
    expect(logs.lines.map((line) => line.level)).toContain("ERROR")
  })
})

describe("the log, and an answer", () => {
  const logs = Logs.make()
  const wrong = "wrong-key-4711"
  const secrets = [wrong, ...Object.values(keys)]
  const test = served({ shelf: always(Effect.die(new Error("x"))), logger: logs.layer })
  test("never holds a key, wherever it was sent", function* () {
    const requests: ReadonlyArray<Request> = [
      { target: "/v1/things", key: wrong },
      { target: "/v1/things", key: null, headers: [`Authorization: Basic ${wrong}`] },
      { target: `/v1/things?key=${wrong}`, key: wrong },
      { target: "/v1/things/1", key: keys.all },
      { target: "/v1/things", key: keys.write },
      { target: "/v1/none", key: keys.read }
    ]
    for (const request of requests) {
      const seen = JSON.stringify(yield* exchange(request))
      for (const key of secrets) expect(seen).not.toContain(key)
    }
    yield* Effect.sleep("10 millis")
    expect(logs.lines.length).toBeGreaterThan(0)
    for (const key of secrets) expect(JSON.stringify(logs.lines)).not.toContain(key)
  })
})
