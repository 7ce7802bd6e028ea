/** The id of a request, and other headers that callers send in odd ways. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { sends, suites } from "./cases/requestId.ts"
import { run } from "./support/Cases.ts"
import { connect, exchange } from "./support/Connection.ts"
import * as Harness from "./support/Harness.ts"
import { operation, render } from "./support/Request.ts"
import { headerOf } from "./support/Response.ts"

run(suites)

layer(Harness.layer(), { excludeTestServices: true })("a request id that is made", (it) => {
  it.scoped("is another for every request, on one connection or many", () =>
    Effect.gen(function* () {
      const connection = yield* connect
      const ids = new Set<string | undefined>()
      for (let at = 0; at < 50; at++) {
        yield* connection.send(render({ target: "/healthz" }))
        ids.add(headerOf(yield* connection.receive(operation("GET /healthz")), "X-Request-Id"))
        ids.add(headerOf(yield* exchange({ target: "/none" }), "X-Request-Id"))
      }
      expect(ids.size).toBe(100)
    })
  )

  it.scoped("is never one that was refused", () =>
    Effect.gen(function* () {
      const refused = ["x".repeat(65), "a b", "a,b"]
      for (const id of refused) {
        const response = yield* exchange(sends(id))
        expect(headerOf(response, "X-Request-Id")).not.toContain(id.slice(0, 64))
      }
    })
  )
})
