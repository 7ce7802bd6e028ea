/** What the one exit for answers knows of each of them. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { connect, exchange } from "./support/Connection.ts"
import * as Harness from "./support/Harness.ts"
import { create } from "./support/Request.ts"

it.scopedLive("reports every answer once, with its request, key and duration", () => {
  const seen: Array<ReadonlyArray<unknown>> = []
  const test = Effect.gen(function* () {
    yield* exchange({ target: "/v1/pets", headers: ["X-Request-Id: one"] })
    yield* exchange({ target: "/v1/pets/7" })
    yield* exchange(create('{"name":"Rex","categoryId":1}'))
    yield* exchange({ target: "/v1/pets", key: "wrong" })
    yield* exchange({ target: "/healthz", key: null })
    const connection = yield* connect
    yield* connection.send("this is not HTTP\r\n\r\n")
    yield* connection.receive()
    expect(seen).toEqual([
      ["GET", "/v1/pets", 200, Harness.keyId, "one"],
      ["GET", "/v1/pets/7", 404, Harness.keyId, expect.any(String)],
      ["POST", "/v1/pets", 201, Harness.keyId, expect.any(String)],
      ["GET", "/v1/pets", 401, undefined, expect.any(String)],
      ["GET", "/healthz", 200, undefined, expect.any(String)],
      [null, "", 400, undefined, expect.any(String)]
    ])
  })
  const layer = Harness.layer({
    listener: {
      onAnswer: ({ keyId, path, request, requestId, startedAt }, { status }) => {
        expect(performance.now() - startedAt).toBeGreaterThanOrEqual(0)
        seen.push([request.method, path, status, keyId, requestId])
      }
    }
  })
  return Effect.provide(test, layer)
})
