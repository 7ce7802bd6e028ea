/** Callers that do not read: what waits for them is bounded, and callers that read are served. */
import { describe, expect, it } from "@effect/vitest"
import { HttpListener } from "@petstore/http-server/HttpListener"
import { Effect, Fiber, Layer, Schedule } from "effect"
import { type Connection, connect, exchange } from "../support/Connection.ts"
import * as Harness from "../support/Harness.ts"
import * as Logs from "../support/Logs.ts"
import { fill, page, pageLength, readPage } from "../support/Pages.ts"
import { operation } from "../support/Request.ts"

const listing = operation("GET /v1/pets")

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
  it.scopedLive("is disconnected after the configured time, and others are not", () => {
    const logs = Logs.make()
    return Effect.gen(function* () {
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
    }).pipe(
      Effect.provide(
        Layer.provide(Harness.layer({ listener: { sendTimeout: "1 second" } }), logs.layer)
      )
    )
  })

  it.scopedLive("lets large responses wait until it is disconnected, and small ones not", () =>
    Effect.gen(function* () {
      yield* fill
      const connections = yield* Effect.replicateEffect(deaf, 4)
      const { load } = yield* HttpListener
      const large = yield* Effect.fork(readPage)
      for (let at = 0; at < 20; at++) {
        expect((yield* exchange({ target: "/v1/pets?limit=1" })).status).toBe(200)
      }
      yield* Fiber.join(large)
      for (const connection of connections) expect(yield* isCut(connection)).toBe(true)
      expect(load().cut).toBe(4)
    }).pipe(
      Effect.provide(
        Harness.layer({ listener: { maxUnsentBytes: pageLength, sendTimeout: "2 seconds" } })
      )
    )
  )

  it.scopedLive("is not one that reads slowly", () =>
    Effect.gen(function* () {
      yield* fill
      const connection = yield* connect
      yield* connection.reading(false)
      yield* connection.send(...Array(3).fill(page))
      // Slower than Node can see in that time: the kernel accepts megabytes before it lets Node write again.
      for (let at = 0; at < 30; at++) {
        yield* connection.readPiece
        yield* Effect.sleep("500 millis")
      }
      yield* connection.reading(true)
      for (let at = 0; at < 3; at++) {
        expect((yield* connection.receive(listing)).body.length).toBeGreaterThan(pageLength)
      }
    }).pipe(Effect.provide(Harness.layer({ listener: { sendTimeout: "6 seconds" } })))
  )
})
