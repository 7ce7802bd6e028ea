/** A server that stops, whose connections are not real. */
import { EventEmitter } from "node:events"
import { effect, expect } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import * as Draining from "../src/internal/connection/Draining.ts"

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
