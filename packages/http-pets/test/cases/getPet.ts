/** Getting one animal by its id. */
import { noId, noPet } from "../support/Expected.ts"
import { type Case, tables } from "../support/Suites.ts"

export const { suite, suites } = tables()

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
    ...["9223372036854775808", "-9223372036854775809", "1".repeat(5000), "01", "-0", "+1", "1.0"],
    ...["1e2", "0x1", "1n", "1_0", "%31", "1%20", "1%00", "1.json", "x", "__proto__", "%", "%FF"],
    ...[":petId", "1%27%20OR%201=1", "%D9%A1", "..", "%2F"]
  ].map(noInteger)
)
