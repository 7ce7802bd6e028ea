/** Bodies that are too large, or come in chunks, and callers who ask before they send one: `Expect: 100-continue`. */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { chunked, fields, inChunks, sized } from "./support/Bodies.ts"
import { type Case, suite } from "./support/Cases.ts"
import { type Connection, connect, exchange } from "./support/Connection.ts"
import {
  answer,
  closing,
  created,
  type Expected,
  expectResponse,
  forbidden,
  noKey,
  refusal,
  wrongKey,
  wrongType
} from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import { create, head, keys, operation, type Request, render } from "./support/Request.ts"
import { served } from "./support/Served.ts"

const limit = 65_536
const tooLarge = refusal("payload_too_large", `the body must have at most ${limit} bytes`)

const tooManyPieces = refusal(
  "bad_request",
  "the body has more than 1000 pieces of fewer than 64 bytes"
)

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

const asked = operation("POST /v1/things")

/** Expects this answer, whatever may still be to be sent. */
const answers = (connection: Connection, expected: Expected) =>
  Effect.map(connection.receive(asked), (response) => {
    expectResponse(response, expected)
    return response
  })

describe("a body", () => {
  served()("is accepted in chunks, however small", function* () {
    for (const [at, size] of [1, 7, 4000].entries()) {
      const connection = yield* connect
      yield* connection.send(head(inChunks), chunked(sized(1000), size))
      yield* answers(connection, created(fields(1000))(at + 1))
    }
  })

  served()("is accepted in chunks with extensions and trailers", function* () {
    const connection = yield* connect
    const body = '{"name":"n","count":1}'
    const chunks = `16;a=b;c="d"\r\n${body}\r\n0;e\r\nContent-Type: text/plain\r\nX-A: b\r\n\r\n`
    yield* connection.send(head(inChunks), chunks)
    yield* answers(connection, created('"name":"n","count":1')(1))
  })

  served()("is accepted in chunks up to the limit and not beyond", function* () {
    const connection = yield* connect
    yield* connection.send(head(inChunks), chunked(sized(limit), 9999))
    yield* answers(connection, created(fields(limit))(1))
    yield* connection.send(head(inChunks), chunked(sized(limit + 1), 9999))
    yield* answers(connection, tooLarge)
    expect(yield* Harness.count).toBe(1)
  })

  served()("is refused by its declared size before it is sent", function* () {
    for (const length of [String(limit + 1), "5000000000", "9007199254740993"]) {
      const connection = yield* connect
      const headers = ["Content-Type: application/json", `Content-Length: ${length}`]
      yield* connection.send(head({ ...inChunks, headers }))
      yield* answers(connection, tooLarge)
    }
  })

  served()("is refused while endless chunks are still coming", function* () {
    const connection = yield* connect
    yield* connection.send(head(inChunks), `100000\r\n${"x".repeat(limit + 1)}`)
    yield* answers(connection, tooLarge)
  })

  served()("may have a thousand small pieces", function* () {
    const connection = yield* connect
    yield* connection.send(head(inChunks), chunked(sized(1001), 1))
    yield* answers(connection, tooManyPieces)
    expect(yield* Harness.count).toBe(0)
  })

  served()("that nobody reads may have a thousand small pieces", function* () {
    for (const [pieces, isRead] of [
      [1000, true],
      [1001, false]
    ] as const) {
      const connection = yield* connect
      yield* connection.send(head({ ...inChunks, key: null }))
      yield* answers(connection, noKey)
      yield* connection.send(chunked("x".repeat(pieces), 1).slice(0, -5), isRead ? "0\r\n\r\n" : "")
      if (isRead) {
        yield* connection.send(render(create('{"name":"n","count":1}')))
        yield* answers(connection, created('"name":"n","count":1')(1))
      } else expect(yield* connection.closed).toMatchObject({ rest: "" })
    }
  })

  served()("that is too large leaves the connection in step", function* () {
    const connection = yield* connect
    const refused = render(create(sized(200_000)))
    const thing = '{"name":"n","count":1}'
    yield* connection.send(refused, head(inChunks), chunked(sized(200_000), 9999))
    yield* connection.send(render(create(thing)))
    yield* answers(connection, tooLarge)
    yield* answers(connection, tooLarge)
    yield* answers(connection, created('"name":"n","count":1')(1))
    expect(yield* Harness.count).toBe(1)
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
  [
    "in chunks and wants to close",
    Buffer.concat([
      head({ ...inChunks, headers: [...(inChunks.headers ?? []), closes] }),
      Buffer.from(chunked(sized(five), 50_000))
    ]),
    closing(tooLarge)
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

describe("a caller who sends 5 MB before reading", () => {
  for (const [how, bytes, expected] of pushes) {
    served()(`${how} sees the answer, not a reset`, function* () {
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
  }
})

describe.concurrent("a caller who asks before it sends", () => {
  const expecting = (request: Request): Request => ({
    ...request,
    headers: [...(request.headers ?? []), "Expect: 100-continue"]
  })
  const thing = '{"name":"n","count":1}'

  served()("gets 100 Continue, and then its response", function* () {
    for (const [at, request] of [create(thing), inChunks].entries()) {
      const connection = yield* connect
      yield* connection.send(head(expecting(request)))
      yield* connection.continued
      yield* connection.send(request === inChunks ? chunked(thing, 5) : thing)
      const response = yield* answers(connection, created('"name":"n","count":1')(at + 1))
      expect(response.interim).toEqual([100])
    }
  })

  const refused: ReadonlyArray<readonly [why: string, request: Request, Expected]> = [
    ["without a key", { ...create(thing), key: null }, noKey],
    ["with a wrong key", { ...create(thing), key: "wrong" }, wrongKey],
    [
      "with a key without the scope",
      { ...create(thing), key: keys.read },
      forbidden("things:write")
    ],
    ["with another type", { ...create(thing), type: "text/plain" }, wrongType],
    ["with a body that is too large", create(sized(limit + 1)), tooLarge]
  ]
  for (const [why, request, expected] of refused) {
    // The connection is not kept until the rest of the request would be too late.
    const patient = served({ listener: { requestTimeout: "1 hour" } })
    patient(`is refused without 100 Continue, ${why}`, function* () {
      const connection = yield* connect
      yield* connection.send(head(expecting(request)))
      const response = yield* answers(connection, closing(expected))
      expect(response.interim).toEqual([])
      expect(yield* connection.closed).toEqual({ rest: "", reset: false })
    })
  }

  served()("gets 100 Continue, and 413 when its chunks are too large", function* () {
    const connection = yield* connect
    yield* connection.send(head(expecting(inChunks)))
    yield* connection.continued
    yield* connection.send(chunked(sized(limit + 1), 9999))
    expect((yield* answers(connection, tooLarge)).interim).toEqual([100])
  })

  served()("is answered at once when it has nothing to send", function* () {
    const response = yield* exchange(expecting({ target: "/healthz" }))
    expect(response.body).toBe(answer(200, '{"status":"ok"}').body)
    expect(response.interim).toEqual([])
  })
})
