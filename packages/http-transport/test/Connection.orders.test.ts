/** Connections in generated orders of events: pieces of requests, handlers that complete, callers that disconnect. */
import { expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Reply from "../src/internal/exchange/Reply.ts"
import { render } from "./support/Request.ts"
import * as Wire from "./support/Wire.ts"

const request = fc.record({
  /** Whether it has a body, which may arrive after the answer. */
  hasBody: fc.boolean(),
  /** Whether it is answered at once. */
  isImmediate: fc.boolean(),
  /** Whether its answer is larger than the buffers of a socket. */
  isLarge: fc.boolean()
})

const caller = fc.record({
  requests: fc.array(request, { minLength: 1, maxLength: 4 }),
  /** How many pieces its bytes arrive in. */
  pieces: fc.integer({ min: 1, max: 4 }),
  end: fc.constantFrom("keep-alive", "close", "nonsense", "disconnect")
})

const small = { status: 200, headers: [], body: Reply.json("[]") }
const large = { status: 200, headers: [], body: Reply.json(`"${"x".repeat(100_000)}"`) }

/** After this many turns of the event loop a connection does nothing more by itself. */
const maxQuiet = 50

it("answers each request of a connection once, in order, in any order of events", () =>
  fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(caller, { minLength: 1, maxLength: 3 }),
      async (s, callers) => {
        const at = (label: string, run: () => void) =>
          void s.schedule(Promise.resolve(), label).then(run)
        const faults: Array<string> = []
        const handled: Array<string> = []
        const answered: Array<string> = []
        const wire = Wire.make({
          closesWhenIdle: () => false,
          handle: (exchange, reply) => {
            const id = exchange.requestId
            const [from, nth] = id.split("-").map(Number)
            const { isImmediate, isLarge } = callers[Number(from)]?.requests[Number(nth)] ?? {}
            handled.push(id)
            const answer = () => reply(isLarge ? large : small)
            if (isImmediate) answer()
            else at(`handler of ${id}`, answer)
          },
          onAnswer: ({ requestId }) => answered.push(requestId)
        })
        const connections = callers.map(({ end, pieces, requests }, from) => {
          const connection = wire.connect()
          const all = requests.map(({ hasBody }, nth) => {
            const isLast = end === "close" && nth === requests.length - 1
            return render({
              target: "/",
              headers: [`X-Request-Id: ${from}-${nth}`, ...(isLast ? ["Connection: close"] : [])],
              ...(hasBody && { method: "POST", body: "twelve bytes" })
            })
          })
          // It is never handled: it follows a request that ends the connection.
          if (end === "close") all.push(render({ target: "/", headers: ["X-Request-Id: extra"] }))
          if (end === "nonsense") all.push(Buffer.from("nonsense\r\n\r\n"))
          const bytes = Buffer.concat(all)
          const send = (piece: number) => {
            const [start, stop] = [piece, piece + 1].map((n) => (bytes.length * n) / pieces)
            connection.send(bytes.subarray(start, stop))
            if (piece + 1 < pieces) at(`piece ${piece + 1} from ${from}`, () => send(piece + 1))
          }
          at(`piece 0 from ${from}`, () => send(0))
          if (end === "disconnect") at(`disconnect of ${from}`, connection.vanish)
          return connection
        })
        const isOver = () =>
          connections.every((connection, from) => {
            const { end = "", requests = [] } = callers[from] ?? {}
            const count = requests.length + (end === "nonsense" ? 1 : 0)
            const isAnswered = connection.received().answers.length >= count
            return (
              end === "disconnect" ||
              (isAnswered && (end === "keep-alive" || connection.hasEnded()))
            )
          })
        for (let quiet = 0; quiet < maxQuiet; quiet++) {
          if (s.count() > 0) {
            quiet = 0
            await s.waitOne()
          } else if (isOver()) break
          await new Promise(setImmediate)
        }

        for (const [from, { end, requests }] of callers.entries()) {
          const { answers = [], rest } = connections[from]?.received() ?? {}
          const expected = requests.map((_, nth) => `${from}-${nth} 200`)
          const ids = requests.map((_, nth) => `${from}-${nth}`)
          const own = (ids: ReadonlyArray<string>) => ids.filter((id) => id.startsWith(`${from}-`))
          // A caller that disconnects has the first answers only.
          const length = end === "disconnect" ? answers.length : expected.length
          if (String(answers.slice(0, expected.length)) !== String(expected.slice(0, length))) {
            faults.push(`${from} got ${answers}`)
          }
          const last = answers.slice(expected.length).map((answer) => answer.split(" ").at(-1))
          if (String(last) !== (end === "nonsense" ? "400" : ""))
            faults.push(`${from} got ${last}, too`)
          if (end !== "disconnect" && rest !== 0) faults.push(`${from} got ${rest} bytes more`)
          const begun = own(handled)
          if (String(begun) !== String(ids.slice(0, begun.length))) {
            faults.push(`the requests ${begun} were handled`)
          }
          if (handled.includes("extra")) faults.push("a request was handled after the last")
          if (String(own(answered)) !== String(begun)) faults.push(`${own(answered)} were reported`)
        }
        for (const connection of connections) connection.vanish()
        for (let quiet = 0; quiet < 4; quiet++) await new Promise(setImmediate)
        const left = Object.entries(wire.counts).filter(([, count]) => count !== 0)
        if (left.length > 0) faults.push(`left: ${left}`)
        expect(faults.join()).toBe("")
      }
    ),
    { numRuns: 300, endOnFailure: true, timeout: 20_000 }
  ))
