/** A server that stops, in generated orders of events: requests, handlers that complete, the stop, timers. */
import type { Socket } from "node:net"
import { expect, it, vi } from "@effect/vitest"
import { Clock, Duration, Effect, FastCheck as fc } from "effect"
import * as Drain from "../src/internal/connection/Drain.ts"
import * as Reply from "../src/internal/exchange/Reply.ts"
import { render } from "./support/Request.ts"
import * as Wire from "./support/Wire.ts"

const caller = fc.record({
  /** How many requests it sends, if any, and in how many pieces. */
  count: fc.nat(3),
  pieces: fc.integer({ min: 1, max: 4 })
})

const reply = { status: 200, headers: [], body: Reply.json("[]") }
const drainTimeout = Duration.hours(1)

/** A server that is wrong may never stop. */
const maxSteps = 300

it("answers each request that it accepted before it ends, in any order of events", async () => {
  const { setTimeout } = globalThis
  // The timeouts of connections never end here.
  vi.stubGlobal("setTimeout", (run: () => void, millis = 0) => millis === 0 && setTimeout(run))
  const property = fc.asyncProperty(
    fc.scheduler(),
    fc.array(caller, { minLength: 1, maxLength: 4 }),
    // Whether the time to drain may be over.
    fc.boolean(),
    // How many turns of the event loop are between two events; draining waits for some ten without any.
    fc.constantFrom(1, 12, 12),
    async (s, callers, mayGiveUp, turns) => {
      const at = (label: string, run: () => void) =>
        void s.schedule(Promise.resolve(), label).then(run)
      const faults: Array<string> = []
      const accepted: Array<string> = []
      /** The connections whose last answer is being sent. */
      const closing = new Set<Socket>()
      let answered: Socket | undefined
      let isDraining = false
      let isLate = false
      let isOver = false
      const wire = Wire.make({
        closesWhenIdle: () => {
          if (isDraining && answered !== undefined) closing.add(answered)
          return isDraining
        },
        handle: ({ request: { socket }, requestId }, send) =>
          at(`handler of ${requestId}`, () => {
            answered = socket
            send(reply)
          }),
        onAnswer: () => {}
      })
      wire.server.prependListener("request", ({ headers, socket }) => {
        // Nothing is accepted once the time to drain is over.
        if (!isLate && !closing.has(socket)) accepted.push(String(headers["x-request-id"]))
      })
      const connections = callers.map(({ count, pieces }, from) => {
        const connection = wire.connect()
        const requests = Array.from({ length: count }, (_, nth) =>
          render({ target: "/", headers: [`X-Request-Id: ${from}-${nth}`] })
        )
        const bytes = Buffer.concat(requests)
        const send = (piece: number) => {
          const [start, stop] = [piece, piece + 1].map((n) => (bytes.length * n) / pieces)
          connection.send(bytes.subarray(start, stop))
          if (piece + 1 < pieces) at(`piece ${piece + 1} from ${from}`, () => send(piece + 1))
        }
        at(`piece 0 from ${from}`, () => send(0))
        return connection
      })
      const clock = Object.assign(Clock.make(), {
        sleep: (time: Duration.Duration) =>
          Effect.async<void>((resume) => {
            const millis = Duration.toMillis(time)
            const isDrainTimeout = Duration.equals(time, drainTimeout)
            // It looks at the connections every ten milliseconds.
            if (millis > 1000 && !(isDrainTimeout && mayGiveUp)) return
            at(`${millis} ms`, () => {
              isLate ||= isDrainTimeout && !isOver
              resume(Effect.void)
            })
          })
      })
      at("stop", () => {
        isDraining = true
        const draining = Drain.run(wire.server, wire.connections, { drainTimeout })
        void Effect.runPromise(Effect.withClock(draining, clock)).then(() => {
          isOver = true
        })
      })
      for (let step = 0; step < maxSteps && !isOver; step++) {
        if (s.count() > 0) await s.waitOne()
        for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
      }

      if (!isOver) faults.push("does not stop")
      for (const [from, connection] of connections.entries()) {
        const { answers, rest } = connection.received()
        const own = accepted.filter((id) => id.startsWith(`${from}-`))
        const expected = own.map((id) => `${id} 200`)
        // Then the request in progress gets a 503, unless it was answered, and those that follow it are dropped.
        if (isLate) {
          const last = Math.max(answers.length, Math.min(own.length, 1)) - 1
          expected.length = last + 1
          if (answers.at(-1)?.endsWith(" 503")) expected[last] = `${from}-${last} 503`
        }
        if (String(answers) !== String(expected) || rest > 0) {
          faults.push(`${from} got ${answers} and ${rest} bytes, not ${expected}`)
        }
        connection.vanish()
      }
      expect(faults.join()).toBe("")
    }
  )
  try {
    await fc.assert(property, { numRuns: 300, endOnFailure: true, timeout: 20_000 })
  } finally {
    vi.unstubAllGlobals()
  }
})
