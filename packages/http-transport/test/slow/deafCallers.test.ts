/** Callers that do not read: what waits for them is bounded, and callers that read are served. */
import { describe, expect } from "@effect/vitest"
import { HttpListener } from "@petstore/http-transport/HttpListener"
import { Effect, Schedule } from "effect"
import { type Connection, connect, exchange } from "../support/Connection.ts"
import * as Logs from "../support/Logs.ts"
import { fill, page, pageLength, readPage } from "../support/Pages.ts"
import { operation } from "../support/Request.ts"
import { served } from "../support/Served.ts"

const listing = operation("GET /v1/things")

/** Asks for more than the system buffers, and reads nothing. */
const deaf = Effect.gen(function* () {
  const connection = yield* connect
  yield* connection.reading(false)
  yield* connection.send(...Array(5).fill(page))
  return connection
})

/** Resumes reading, and returns whether it was disconnected: its responses are incomplete. */
const isCut = (connection: Connection) =>
  Effect.gen(function* () {
    yield* connection.reading(true)
    const { rest } = yield* connection.closed
    return rest.length < 5 * pageLength
  })

describe.concurrent("a caller that reads nothing", () => {
  const logs = Logs.make()
  const impatient = served({ listener: { sendTimeout: "1 second" }, logger: logs.layer })
  impatient("is disconnected after the configured time, and others are not", function* () {
    yield* fill
    const connection = yield* deaf
    const { load } = yield* HttpListener
    yield* Effect.sync(() => load().cut).pipe(
      Effect.repeat({ until: (cut) => cut === 1, schedule: Schedule.spaced("100 millis") }),
      Effect.timeout("30 seconds")
    )
    yield* readPage
    expect(yield* isCut(connection)).toBe(true)
    expect(logs.lines).toMatchObject([
      {
        level: "WARN",
        message: "a connection was closed: its caller did not read the response",
        annotations: { address: "127.0.0.1" }
      }
    ])
  })

  const full = served({ listener: { maxUnsentBytes: pageLength, sendTimeout: "4 seconds" } })
  full("lets requests be shed until it is disconnected, if too much waits for it", function* () {
    yield* fill
    const connection = yield* deaf
    const { load } = yield* HttpListener
    const statusOf = (target: string) => Effect.map(exchange({ target }), ({ status }) => status)
    const small = statusOf("/v1/things/2")
    const until = (status: number) =>
      small.pipe(
        Effect.repeat({ until: (one) => one === status, schedule: Schedule.spaced("20 millis") }),
        Effect.timeout("30 seconds")
      )
    yield* until(503)
    expect(yield* statusOf("/healthz")).toBe(200)
    expect(load().shed).toBeGreaterThan(0)
    yield* until(404)
    expect(yield* isCut(connection)).toBe(true)
    expect(load().cut).toBe(1)
    yield* readPage
  })

  served({ listener: { sendTimeout: "6 seconds" } })("is not one that reads slowly", function* () {
    yield* fill
    const connection = yield* connect
    yield* connection.reading(false)
    yield* connection.send(...Array(3).fill(page))
    // Longer than the timeout. Node sees progress once a third of the kernel's buffer, some megabytes, was read.
    for (let at = 0; at < 150; at++) {
      yield* connection.readPiece
      yield* Effect.sleep("50 millis")
    }
    yield* connection.reading(true)
    for (let at = 0; at < 3; at++) {
      expect((yield* connection.receive(listing)).body.length).toBeGreaterThan(pageLength)
    }
  })
})
