/** Getting one animal by its id. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { suites } from "./cases/getPet.ts"
import { run } from "./support/Cases.ts"
import { exchange } from "./support/Connection.ts"
import { deprecation, expectResponse, found, noPet, toHead } from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import { create, keys } from "./support/Request.ts"

run(suites)

for (const [name, store] of Object.entries(Harness.stores)) {
  layer(Harness.layer({ store }), { excludeTestServices: true })(`an animal (${name})`, (it) => {
    it.effect("is got by its id, with the dates of the operation", () =>
      Effect.gen(function* () {
        const fields = '"name":"🐶","categoryId":-9223372036854775808'
        yield* exchange(create(`{${fields}}`))
        yield* exchange(create(`{${fields},"status":"sold"}`))
        const first = found(`{"id":1,${fields}}`, deprecation)
        const second = found(`{"id":2,${fields},"status":"sold"}`, deprecation)
        expectResponse(yield* exchange({ target: "/v1/pets/1" }), first)
        expectResponse(yield* exchange({ target: "/v1/pets/2" }), second)
        expectResponse(yield* exchange({ target: "/v1/pets/2", method: "HEAD" }), toHead(second))
        expectResponse(yield* exchange({ target: "/v1/pets/1?limit=0&cursor=x" }), first)
        expectResponse(yield* exchange({ target: "/v1/pets/1", key: keys.read }), first)
        expectResponse(yield* exchange({ target: "http://localhost/v1/pets/1" }), first)
        expectResponse(yield* exchange({ target: "/v1/pets/1", body: "ignored" }), first)
        expectResponse(yield* exchange({ target: "/v1/pets/3" }), noPet("3"))
      })
    )

    it.effect("is at the place that its creation named", () =>
      Effect.gen(function* () {
        const before = yield* Harness.count
        const made = yield* exchange(create('{"name":"n","categoryId":1}'))
        const target = `/v1/pets/${before + 1}`
        expect(made.headers).toContainEqual(["Location", target])
        expect((yield* exchange({ target })).body).toBe(made.body)
      })
    )
  })
}
