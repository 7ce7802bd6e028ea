/** Bodies that are too large, or come in chunks. */
import { describe, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { limit, suites, tooLarge } from "./cases/bodyLimit.ts"
import { chunked, fields, inChunks, sized } from "./support/Bodies.ts"
import { run } from "./support/Cases.ts"
import { type Connection, connect } from "./support/Connection.ts"
import {
  closing,
  created,
  type Expected,
  expectResponse,
  noKey,
  wrongType
} from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import { create, head, operation, render } from "./support/Request.ts"

run(suites)

const asked = operation("POST /v1/pets")

/** Expects this answer, whatever may still be to be sent. */
const answers = (connection: Connection, expected: Expected) =>
  Effect.map(connection.receive(asked), (response) => {
    expectResponse(response, expected)
    return response
  })

describe("a body", () => {
  layer(Harness.layer(), { excludeTestServices: true })((it) => {
    it.scoped("is accepted in chunks, however small", () =>
      Effect.gen(function* () {
        const before = yield* Harness.count
        for (const [at, size] of [1, 7, 4000].entries()) {
          const connection = yield* connect
          yield* connection.send(head(inChunks), chunked(sized(5000), size))
          yield* answers(connection, created(fields(5000))(before + at + 1))
        }
      })
    )

    it.scoped("is accepted in chunks with extensions and trailers", () =>
      Effect.gen(function* () {
        const before = yield* Harness.count
        const connection = yield* connect
        const body = '{"name":"n","categoryId":1}'
        const chunks = `1b;a=b;c="d"\r\n${body}\r\n0;e\r\nContent-Type: text/plain\r\nX-A: b\r\n\r\n`
        yield* connection.send(head(inChunks), chunks)
        yield* answers(connection, created('"name":"n","categoryId":1')(before + 1))
      })
    )

    it.scoped("is accepted in chunks up to the limit and not beyond", () =>
      Effect.gen(function* () {
        const before = yield* Harness.count
        const connection = yield* connect
        yield* connection.send(head(inChunks), chunked(sized(limit), 9999))
        yield* answers(connection, created(fields(limit))(before + 1))
        yield* connection.send(head(inChunks), chunked(sized(limit + 1), 9999))
        yield* answers(connection, tooLarge)
        expect(yield* Harness.count).toBe(before + 1)
      })
    )

    it.scoped("is refused by its declared size before it is sent", () =>
      Effect.gen(function* () {
        for (const length of [String(limit + 1), "5000000000", "9007199254740993"]) {
          const connection = yield* connect
          const headers = ["Content-Type: application/json", `Content-Length: ${length}`]
          yield* connection.send(head({ ...inChunks, headers }))
          yield* answers(connection, tooLarge)
        }
      })
    )

    it.scoped("is refused while endless chunks are still coming", () =>
      Effect.gen(function* () {
        const connection = yield* connect
        yield* connection.send(head(inChunks), `100000\r\n${"x".repeat(limit + 1)}`)
        yield* answers(connection, tooLarge)
      })
    )

    it.scoped("that is too large leaves the connection in step", () =>
      Effect.gen(function* () {
        const before = yield* Harness.count
        const connection = yield* connect
        const refused = render(create(sized(200_000)))
        const pet = '{"name":"n","categoryId":1}'
        yield* connection.send(refused, head(inChunks), chunked(sized(200_000), 9999))
        yield* connection.send(render(create(pet)))
        yield* answers(connection, tooLarge)
        yield* answers(connection, tooLarge)
        yield* answers(connection, created('"name":"n","categoryId":1')(before + 1))
        expect(yield* Harness.count).toBe(before + 1)
      })
    )
  })
})

const five = 5_000_000
const closes = "Connection: close"
const pushes: ReadonlyArray<readonly [how: string, bytes: Buffer, Expected]> = [
  ["of a declared size", render(create(sized(five))), tooLarge],
  [
    "in chunks",
    Buffer.concat([head(inChunks), Buffer.from(chunked(sized(five), 50_000))]),
    tooLarge
  ],
  ["and wants to close", render({ ...create(sized(five)), headers: [closes] }), closing(tooLarge)],
  [
    "in chunks and wants to close",
    Buffer.concat([
      head({ ...inChunks, headers: [...(inChunks.headers ?? []), closes] }),
      Buffer.from(chunked(sized(five), 50_000))
    ]),
    closing(tooLarge)
  ],
  [
    "of another type and wants to close",
    render({ ...create(sized(five)), type: null, headers: [closes] }),
    closing(wrongType)
  ],
  [
    "without a key and wants to close",
    render({ ...create(sized(five)), key: null, headers: [closes] }),
    closing(noKey)
  ],
  [
    "and does not wait for the continuation it asked for",
    render({ ...create(sized(five)), headers: ["Expect: 100-continue"] }),
    closing(tooLarge)
  ]
]

layer(Harness.layer(), { excludeTestServices: true })(
  "a caller who sends 5 MB before reading",
  (it) => {
    for (const [how, bytes, expected] of pushes) {
      it.scoped(`${how} sees the answer, not a reset`, () =>
        Effect.gen(function* () {
          const connection = yield* connect
          yield* connection.reading(false)
          yield* connection.flush(bytes)
          yield* connection.reading(true)
          yield* answers(connection, expected)
          if (expected.headers.includes(closes)) {
            expect(yield* connection.closed).toEqual({ rest: "", reset: false })
          }
          expect(yield* Harness.count).toBe(0)
        })
      )
    }
  }
)
