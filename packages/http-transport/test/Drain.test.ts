/** A server that stops, whose connections are not real. */
import { EventEmitter } from "node:events"
import { effect, expect } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber, TestClock } from "effect"
import * as Drain from "../src/internal/connection/Drain.ts"

/** A clock on which time passes only when the test says so. */
const stopped = () => {
  let now = 0
  const sleeping = new Map<() => void, number>()
  const clock = Object.assign(Clock.make(), {
    sleep: (time: Duration.Duration) =>
      Effect.async<void>((resume) => {
        const wake = () => resume(Effect.void)
        sleeping.set(wake, now + Duration.toMillis(time))
        return Effect.sync(() => sleeping.delete(wake))
      })
  })
  /** Wakes those whose time is over. */
  const advance = (millis: number) => {
    now += millis
    for (const [wake, at] of sleeping) if (at <= now && sleeping.delete(wake)) wake()
  }
  /** Lets time pass by ten milliseconds, again and again, with enough turns of the event loop for all that happens then. */
  const pass = (millis: number) =>
    Effect.promise(async () => {
      for (let at = 0; at <= millis; at += 10) {
        if (at > 0) advance(10)
        for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
      }
    })
  return { advance, clock, pass }
}

/** A server without connections that stops, with arrivals in some turns; after how many turns it closed. */
const turnsUntilClosed = (arrivalIn: (turn: number) => string | undefined, fd?: number) =>
  Effect.gen(function* () {
    let turns = 0
    let closed: number | undefined
    const close = () => {
      closed = turns
    }
    const server = Object.assign(new EventEmitter(), { close })
    const { advance, clock } = stopped()
    const turn = () => {
      if (closed !== undefined) return
      // A turn takes ten milliseconds.
      advance(10)
      const arrival = arrivalIn(++turns)
      if (arrival !== undefined) server.emit(arrival)
      setImmediate(turn)
    }
    setImmediate(turn)
    const draining = Drain.run(server as never, new Map(), { drainTimeout: "1 minute", fd })
    yield* Effect.withClock(draining, clock)
    return closed
  })

effect("closes when ten turns brought nothing, or after five seconds", () =>
  Effect.gen(function* () {
    const arrivals: Readonly<Record<number, string>> = { 5: "connection", 12: "request" }
    expect(yield* turnsUntilClosed((turn) => arrivals[turn])).toBe(22)
    const most = 10_000
    const always = yield* turnsUntilClosed((turn) => (turn < most ? "connection" : undefined))
    expect(always).toBeGreaterThanOrEqual(500)
    expect(always).toBeLessThan(most)
  })
)

effect("closes a passed socket at once: another process may accept its connections", () =>
  Effect.gen(function* () {
    expect(yield* turnsUntilClosed(() => "connection", 3)).toBe(0)
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
    // It listens for what has arrived twice: when it stops, and when idle connections had their time.
    let listens = 0
    server.on("newListener", (name) => {
      if (name !== "request" || ++listens < 2) return
      setImmediate(() => {
        isBusy = true
        server.emit("request")
      })
    })
    const draining = yield* Effect.fork(
      Drain.run(server as never, connections as never, { drainTimeout: "1 minute" })
    )
    while (listens < 2 && !isDestroyed) yield* TestClock.adjust("100 millis")
    while (!isBusy && !isDestroyed) yield* TestClock.adjust("100 millis")
    expect(isDestroyed).toBe(false)
    connections.clear()
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(draining)
  })
)

/** A server with one connection that stops; what happens to that when time passes. */
const drains = (isBusy: boolean, drainTimeout: "10 seconds" | "500 millis") =>
  Effect.gen(function* () {
    const { clock, pass } = stopped()
    const events: Array<string> = []
    const server = Object.assign(new EventEmitter(), { close: () => {} })
    const connection = { isBusy: () => isBusy, giveUp: () => events.push("given up") }
    const connections = new Map([[{ destroy: () => events.push("closed") }, connection]])
    const draining = Drain.run(server as never, connections as never, { drainTimeout }).pipe(
      Effect.zipRight(Effect.sync(() => events.push("ended"))),
      Effect.withClock(clock)
    )
    yield* Effect.fork(draining)
    return { connections, passing: (millis: number) => Effect.as(pass(millis), events) }
  })

effect("gives connections without a request a second to send one", () =>
  Effect.gen(function* () {
    const { connections, passing } = yield* drains(false, "10 seconds")
    expect(yield* passing(990)).toEqual([])
    expect((yield* passing(20))[0]).toBe("closed")
    connections.clear()
    expect((yield* passing(50)).at(-1)).toBe("ended")
  })
)

effect("gives callers a second to read their last answer, unless they have gone before", () =>
  Effect.gen(function* () {
    for (const hasGone of [false, true]) {
      const { connections, passing } = yield* drains(true, "10 seconds")
      expect(yield* passing(9990)).toEqual([])
      expect(yield* passing(20)).toEqual(["given up"])
      if (hasGone) connections.clear()
      expect((yield* passing(900)).at(-1)).toBe(hasGone ? "ended" : "given up")
      expect((yield* passing(200)).at(-1)).toBe("ended")
    }
  })
)

effect("gives no more than the time to drain, where that is shorter", () =>
  Effect.gen(function* () {
    const { passing } = yield* drains(true, "500 millis")
    expect(yield* passing(490)).toEqual([])
    expect(yield* passing(20)).toEqual(["given up"])
    expect(yield* passing(490)).toContain("ended")
  })
)
