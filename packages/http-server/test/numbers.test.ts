/** Integers of 64 bits, exactly: what is taken as one, and that it comes back digit for digit. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { body, suites } from "./cases/numbers.ts"
import { run } from "./support/Cases.ts"
import { exchange } from "./support/Connection.ts"
import * as Harness from "./support/Harness.ts"
import { nextOf } from "./support/Response.ts"

run(suites)

for (const [name, store] of Object.entries(Harness.stores)) {
  layer(Harness.layer({ store }), { excludeTestServices: true })(`integers (${name})`, (it) => {
    it.effect("are returned exactly by every operation", () =>
      Effect.gen(function* () {
        const values = [
          "9223372036854775807",
          "-9223372036854775808",
          "9007199254740993",
          "-9007199254740993",
          "1152921504606846977"
        ]
        const pets = values.map(
          (value, index) => `{"id":${index + 1},"name":"n","categoryId":${value}}`
        )
        for (const value of values) yield* exchange(body(value))
        const list = yield* exchange({ target: "/v1/pets" })
        expect(list.body).toBe(`[${pets.join(",")}]`)
        expect(nextOf(list)).toBeUndefined()
        for (const [index, pet] of pets.entries()) {
          expect((yield* exchange({ target: `/v1/pets/${index + 1}` })).body).toBe(pet)
        }
      })
    )
  })
}
