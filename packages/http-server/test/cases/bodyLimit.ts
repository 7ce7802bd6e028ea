/** Bodies that are too large, or come in chunks. */
import { fields, sized } from "../support/Bodies.ts"
import { created, refusal, wrongType } from "../support/Expected.ts"
import { create } from "../support/Request.ts"
import { type Case, tables } from "../support/Suites.ts"

export const { suite, suites } = tables()

export const limit = 65_536
export const tooLarge = refusal("payload_too_large", `the body must have at most ${limit} bytes`)

const adds = (bytes: number): Case => [
  `takes ${bytes} bytes`,
  create(sized(bytes)),
  created(fields(bytes))
]
const refuses = (bytes: number): Case => [`refuses ${bytes} bytes`, create(sized(bytes)), tooLarge]

suite("a body of up to 64 KiB", [
  adds(100),
  adds(limit - 1),
  adds(limit),
  refuses(limit + 1),
  refuses(2 * limit),
  refuses(1_000_000),
  ["counts bytes, not letters", create(`{"name":"${"é".repeat(40_000)}"}`), tooLarge],
  ["counts white space", create(`${" ".repeat(limit)}{}`), tooLarge],
  ["is asked for its type first", { ...create(sized(limit + 1)), type: "text/plain" }, wrongType]
])

suite(
  "a limit that is configured",
  [
    ["takes as much", create(sized(100)), created(fields(100))],
    [
      "refuses more, and names the limit",
      create(sized(101)),
      refusal("payload_too_large", "the body must have at most 100 bytes")
    ]
  ],
  { server: { maxBodyBytes: 100 } }
)
