/** Who is let in, and what everybody else learns. */
import { describe, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { none, noWrite, suites, target } from "./cases/authentication.ts"
import { run } from "./support/Cases.ts"
import { connect } from "./support/Connection.ts"
import { type Expected, expectResponse, noKey, wrongKey } from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import { create, head, keys, operation } from "./support/Request.ts"

run(suites)

describe("a request that is refused by its key", () => {
  layer(Harness.layer(), { excludeTestServices: true })((it) => {
    const refused: ReadonlyArray<readonly [name: string, key: string | null, Expected]> = [
      ["without a key", null, noKey],
      ["with a wrong key", "wrong", wrongKey],
      ["with a key without the scope", keys.read, noWrite]
    ]
    for (const [name, key, expected] of refused) {
      it.scoped(`is answered before its body and leaves the connection in step, ${name}`, () =>
        Effect.gen(function* () {
          const body = JSON.stringify({ name: "x".repeat(50_000), categoryId: 1 })
          const connection = yield* connect
          yield* connection.send(head({ ...create(body), key }))
          expectResponse(yield* connection.receive(operation("POST /v1/pets")), expected)
          yield* connection.send(body, head({ target }))
          expectResponse(yield* connection.receive(operation("GET /v1/pets")), none)
          expect(yield* Harness.count).toBe(0)
        })
      )
    }
  })
})
