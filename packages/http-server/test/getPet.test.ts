/** Getting one animal by its id. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Case, suite } from "./support/Cases.ts"
import { exchange } from "./support/Connection.ts"
import { answer, deprecation, expectResponse, noId, noPet, toHead } from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import { create, keys } from "./support/Request.ts"

const none = (id: string): Case => [`has no ${id}`, { target: `/v1/pets/${id}` }, noPet(id)]
const noInteger = (id: string): Case => [
  `takes ${id.slice(0, 60)} for no id`,
  { target: `/v1/pets/${id}` },
  noId
]

suite("an id that is not assigned", [
  none("1"),
  none("0"),
  none("-1"),
  none("9007199254740993"),
  none("9223372036854775807"),
  none("-9223372036854775808")
])

suite(
  "an id that is no integer of 64 bits in its usual form",
  [
    "9223372036854775808",
    "-9223372036854775809",
    "18446744073709551617",
    "1".repeat(5000),
    "01",
    "001",
    "-0",
    "-01",
    "+1",
    "1.0",
    "1.5",
    "1e0",
    "1e2",
    "0x1",
    "1n",
    "1_0",
    "1,0",
    "%31",
    "1%20",
    "%201",
    "1%00",
    "%2B1",
    "1;v=2",
    "1.json",
    "x",
    "null",
    "NaN",
    "Infinity",
    "__proto__",
    "constructor",
    "%",
    "%zz",
    "%FF",
    "*",
    ":petId",
    "{petId}",
    "''",
    "1%27%20OR%201=1",
    "%D9%A1",
    "..",
    "%2e%2e",
    "%2F"
  ].map(noInteger)
)

for (const [name, store] of Object.entries(Harness.stores)) {
  layer(Harness.layer({ store }), { excludeTestServices: true })(`an animal (${name})`, (it) => {
    it.effect("is got by its id, with the dates of the operation", () =>
      Effect.gen(function* () {
        const fields = '"name":"🐶","categoryId":-9223372036854775808'
        yield* exchange(create(`{${fields}}`))
        yield* exchange(create(`{${fields},"status":"sold"}`))
        const first = answer(200, `{"id":1,${fields}}`, deprecation)
        const second = answer(200, `{"id":2,${fields},"status":"sold"}`, deprecation)
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
