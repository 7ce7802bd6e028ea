/** What `overload.test.ts` says, of many callers and of large pages. */
import { expect } from "@effect/vitest"
import { HttpListener } from "@petstore/http-transport/HttpListener"
import { Effect, Schedule } from "effect"
import { connect, exchange } from "../support/Connection.ts"
import * as Harness from "../support/Harness.ts"
import * as Logs from "../support/Logs.ts"
import { fillWith, page } from "../support/Pages.ts"
import { create, head, render } from "../support/Request.ts"
import { live, served } from "../support/Served.ts"

const attacks: Readonly<Record<string, ReadonlyArray<string | Uint8Array>>> = {
  "send nothing": [],
  "send half a head": ["GET /healthz HTTP/1.1\r\n"],
  "announce a body without a key": [head({ ...create("never sent"), key: null })],
  "have had an answer": [render({ target: "/v1/things" })],
  "pipeline 600 pages, and read nothing": [Buffer.concat(Array(600).fill(page))]
}

served({ listener: { maxConnections: 20 } })(
  "honest callers are served beside others",
  function* () {
    const { load } = yield* HttpListener
    yield* fillWith(100_000)
    for (const [what, sent] of Object.entries(attacks)) {
      const attack = Effect.gen(function* () {
        const connection = yield* connect
        yield* connection.reading(false)
        yield* connection.send(...sent)
      })
      yield* Effect.scoped(
        Effect.gen(function* () {
          for (let round = 0; round < 3; round++) {
            // Connections that pipeline are busy, and not closed to make room.
            yield* Effect.replicateEffect(attack, what.startsWith("pipeline") ? 6 : 30)
            const { status } = yield* exchange({ target: "/v1/things/2" })
            expect({ what, status }).toEqual({ what, status: 404 })
            expect(load().connections).toBeLessThanOrEqual(21)
          }
        })
      )
    }
  }
)

live(
  "a caller that reads nothing is closed in the end; until then requests are shed",
  function* () {
    const logs = Logs.make()
    const listener = { sendTimeout: "2 seconds", drainTimeout: 0 } as const
    yield* Effect.gen(function* () {
      const { load } = yield* HttpListener
      // More than may wait to be sent.
      const length = 75_000_000
      yield* fillWith(length)
      const deaf = yield* connect
      yield* deaf.reading(false)
      yield* deaf.send(page)
      const until = (wanted: number) =>
        Effect.map(exchange({ target: "/v1/things/2" }), ({ status }) => status).pipe(
          Effect.repeat({
            until: (status) => status === wanted,
            schedule: Schedule.spaced("5 millis"),
            times: 3000
          })
        )
      yield* until(503)
      expect(load().shed).toBeGreaterThan(0)
      expect((yield* exchange({ target: "/healthz" })).status).toBe(200)
      yield* until(404)
      expect(load().cut).toBe(1)
      yield* deaf.reading(true)
      expect((yield* deaf.closed).rest.length).toBeLessThan(length)
      expect(logs.lines).toMatchObject([
        {
          level: "WARN",
          message: "a connection was closed: its caller did not read the response",
          annotations: { address: "127.0.0.1", unsentBytes: expect.any(Number) }
        }
      ])
    }).pipe(Effect.provide(Harness.layer({ listener, logger: logs.layer })))
  }
)
