/** A server that stops, whose connections are not real. */
import { EventEmitter } from "node:events"
import { effect, expect } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import * as Draining from "../src/internal/connection/Draining.ts"

/** A server without connections that stops, with arrivals in some turns; how many turns it took to leave. */
const turnsUntilLeft = (arrivalIn: (turn: number) => string | undefined) =>
  Effect.gen(function* () {
    const server = Object.assign(new EventEmitter(), { close: () => {} })
    let turns = 0
    let left: number | undefined
    const acceptor = {
      nextTurn: (callback: () => void) => {
        const arrival = arrivalIn(++turns)
        if (arrival !== undefined) server.emit(arrival)
        setImmediate(callback)
      },
      leave: (callback: () => void) => {
        left = turns
        callback()
      }
    }
    const options = { acceptor, drainTimeout: "1 minute" } as const
    const draining = yield* Effect.fork(Draining.run(server as never, new Map(), options))
    while (left === undefined) yield* TestClock.adjust("100 millis")
    yield* Fiber.join(draining)
    return left
  })

effect("leaves when ten turns of what accepts brought nothing, or after five seconds", () =>
  Effect.gen(function* () {
    const arrivals: Readonly<Record<number, string>> = { 5: "connection", 12: "request" }
    expect(yield* turnsUntilLeft((turn) => arrivals[turn])).toBe(22)
    const most = 100_000
    const always = turnsUntilLeft((turn) => (turn < most ? "connection" : undefined))
    expect(yield* always).toBeLessThan(most)
  })
)

effect("takes requests that had arrived when the time to send one was over", () =>
  Effect.gen(function* () {
    const server = Object.assign(new EventEmitter(), { close: () => {} })
    let isBusy = false
    let isDestroyed = false
    const connections = new Map([
      [{ destroy: () => (isDestroyed = true) }, { isBusy: () => isBusy }]
    ])
    const acceptor = { nextTurn: setImmediate, leave: (callback: () => void) => callback() }
    // It listens for what has arrived twice: when it stops, and when idle connections had their time.
    let listens = 0
    server.on("newListener", (name) => {
      if (name !== "request" || ++listens < 2) return
      setImmediate(() => {
        isBusy = true
        server.emit("request")
      })
    })
    const options = { acceptor, drainTimeout: "1 minute" } as const
    const draining = yield* Effect.fork(
      Draining.run(server as never, connections as never, options)
    )
    while (listens < 2 && !isDestroyed) yield* TestClock.adjust("100 millis")
    while (!isBusy && !isDestroyed) yield* TestClock.adjust("100 millis")
    expect(isDestroyed).toBe(false)
    connections.clear()
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(draining)
  })
)
