/** Which paths there are, and which methods each has. */
import { describe, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { suites } from "./cases/paths.ts"
import { run } from "./support/Cases.ts"
import { exchange } from "./support/Connection.ts"
import * as Harness from "./support/Harness.ts"
import { create } from "./support/Request.ts"

run(suites)

describe("HEAD", () => {
  layer(Harness.layer(), { excludeTestServices: true })((it) => {
    for (const [target, key] of [
      ["/v1/pets", undefined],
      ["/v1/pets?limit=1", undefined],
      ["/v1/pets?limit=0", undefined],
      ["/v1/pets", null],
      ["/v1/pets", "wrong"],
      ["/v1/pets/1", undefined],
      ["/v1/pets/99", undefined],
      ["/v1/none", undefined],
      ["/healthz", null],
      ["/readyz", null],
      ["/openapi.json", null],
      ["/docs", null],
      ["/none", null]
    ] as const) {
      it.effect(`is GET without the body at ${target}, key ${key}`, () =>
        Effect.gen(function* () {
          while ((yield* Harness.count) < 2) yield* exchange(create('{"name":"a","categoryId":1}'))
          const request = { target, ...(key !== undefined && { key }) }
          const headers = ["X-Request-Id: same"]
          const get = yield* exchange({ ...request, headers })
          const head = yield* exchange({ ...request, headers, method: "HEAD" })
          const dateless = get.headers.filter(([header]) => header !== "Date")
          expect(get.body).not.toBe("")
          expect(head.body).toBe("")
          expect(head.status).toBe(get.status)
          expect(head.headers.filter(([header]) => header !== "Date")).toEqual(dateless)
        })
      )
    }
  })
})
