/** Callers that do not read: what waits for them is bounded, and callers that read are served. */
import { EventEmitter } from "node:events"
import type { Socket } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { vi } from "vitest"
import * as Backlog from "../dist/internal/Backlog.js"
import { type Connection, connect } from "./support/Connection.ts"
import * as Harness from "./support/Harness.ts"
import { create, operation, render } from "./support/Request.ts"

const adding = operation("POST /v1/pets")
const listing = operation("GET /v1/pets")
const page = render({ target: "/v1/pets?limit=100" })

/** The length of a page of a hundred long names: a few of them are more than the system buffers. */
const pageLength = 6_000_000
const fill = Effect.gen(function* () {
  const connection = yield* connect
  const large = render(create(`{"name":"${"n".repeat(60_000)}","categoryId":1}`))
  for (let at = 0; at < 100; at++) {
    yield* connection.send(large)
    yield* connection.receive(adding)
  }
})

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

const readsOn = Effect.gen(function* () {
  const connection = yield* connect
  yield* connection.send(page)
  expect((yield* connection.receive(listing)).body.length).toBeGreaterThan(pageLength)
})

describe.concurrent("a caller that reads nothing", () => {
  it.scopedLive("is disconnected after the configured time, and others are not", () =>
    Effect.gen(function* () {
      yield* fill
      const connection = yield* deaf
      yield* Effect.sleep("4 seconds")
      yield* readsOn
      expect(yield* isCut(connection)).toBe(true)
    }).pipe(Effect.provide(Harness.layer({ listener: { sendTimeout: "1 second" } })))
  )

  it.scopedLive("is disconnected first when more waits to be sent than may wait", () =>
    Effect.gen(function* () {
      yield* fill
      const connections: Array<Connection> = []
      for (let at = 0; at < 6; at++) {
        connections.push(yield* deaf)
        yield* Effect.sleep("300 millis")
      }
      yield* readsOn
      const cut: Array<boolean> = []
      for (const connection of connections.slice(0, 3)) cut.push(yield* isCut(connection))
      expect(cut).toEqual([true, true, true])
    }).pipe(Effect.provide(Harness.layer({ listener: { maxUnsentBytes: 2.5 * pageLength } })))
  )

  it.scopedLive("is not one that reads slowly", () =>
    Effect.gen(function* () {
      yield* fill
      const connection = yield* connect
      yield* connection.reading(false)
      yield* connection.send(...Array(3).fill(page))
      // The second answer takes far longer than the time in which nothing may be accepted.
      for (let at = 0; at < 120; at++) {
        yield* connection.readPiece
        yield* Effect.sleep("100 millis")
      }
      yield* connection.reading(true)
      for (let at = 0; at < 3; at++) {
        expect((yield* connection.receive(listing)).body.length).toBeGreaterThan(pageLength)
      }
    }).pipe(Effect.provide(Harness.layer({ listener: { sendTimeout: "8 seconds" } })))
  )
})

describe("Backlog", () => {
  /** As much of a socket as the backlog uses. */
  const socket = (writableLength = 1) => {
    const destroy = vi.fn()
    const fake = Object.assign(new EventEmitter(), { destroy, writableLength })
    return { destroy, socket: fake as unknown as Socket }
  }

  it("closes the connection without progress for the longest time", () => {
    const backlog = Backlog.make({ maxBytes: 100, timeoutMillis: 1000 })
    const [first, second, third] = [socket(), socket(), socket()]
    backlog.hold(first.socket, 40)
    backlog.hold(second.socket, 40)
    // The first makes progress, so that the second is now the oldest.
    backlog.release(first.socket)
    backlog.hold(first.socket, 20)
    backlog.hold(first.socket, 40)
    backlog.hold(third.socket, 20)
    expect(second.destroy).not.toHaveBeenCalled()
    backlog.hold(third.socket, 21)
    expect(second.destroy).toHaveBeenCalledOnce()
    expect(first.destroy).not.toHaveBeenCalled()
    backlog.hold(third.socket, 60)
    expect(first.destroy).not.toHaveBeenCalled()
  })

  it("closes callers that do not read before others, and else the one that asks for more", () => {
    const backlog = Backlog.make({ maxBytes: 100, timeoutMillis: 1000 })
    const [reading, deaf, greedy] = [socket(0), socket(), socket(0)]
    backlog.hold(reading.socket, 40)
    backlog.hold(deaf.socket, 40)
    backlog.hold(greedy.socket, 50)
    expect(deaf.destroy).toHaveBeenCalledOnce()
    backlog.hold(greedy.socket, 70)
    expect(greedy.destroy).toHaveBeenCalledOnce()
    expect(reading.destroy).not.toHaveBeenCalled()
  })

  it("lets a single answer be larger than the limit", () => {
    const backlog = Backlog.make({ maxBytes: 100, timeoutMillis: 1000 })
    const [only, next] = [socket(), socket()]
    backlog.hold(only.socket, 1000)
    expect(only.destroy).not.toHaveBeenCalled()
    backlog.hold(next.socket, 1)
    expect(only.destroy).toHaveBeenCalledOnce()
    expect(next.destroy).not.toHaveBeenCalled()
  })

  it("closes callers that accept nothing in time, but not those that wait for the service", () => {
    vi.useFakeTimers()
    const backlog = Backlog.make({ maxBytes: 100, timeoutMillis: 1000 })
    const [deaf, waiting, late] = [socket(), socket(0), socket()]
    backlog.hold(deaf.socket, 1)
    backlog.hold(waiting.socket, 1)
    vi.advanceTimersByTime(500)
    backlog.hold(late.socket, 1)
    vi.advanceTimersByTime(499)
    backlog.sweep()
    expect(deaf.destroy).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    backlog.sweep()
    expect(deaf.destroy).toHaveBeenCalledOnce()
    vi.advanceTimersByTime(400)
    backlog.sweep()
    expect([waiting, late].map(({ destroy }) => destroy.mock.calls.length)).toEqual([0, 0])
    vi.useRealTimers()
  })
})
