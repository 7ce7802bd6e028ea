/** Bytes that are nearly HTTP. */
import { setImmediate } from "node:timers/promises"
import * as Effect from "effect/Effect"
import * as Contract from "../Contract.ts"
import type { Experiment } from "../Experiment.ts"
import type * as Random from "../Random.ts"
import * as Requests from "../Requests.ts"
import * as Service from "../Service.ts"
import * as Storage from "../Storage.ts"
import * as Traffic from "../Traffic.ts"
import * as Wire from "../Wire.ts"

const streamsPerSecond = 150
const callers = 64

/** Mutated requests, in pieces. */
export const streams: Experiment = {
  name: "streams",
  promise:
    "whatever bytes arrive, what the service answers is well-formed HTTP without 5xx, it closes the connection within a minute, and its memory stays within limits",
  attack: "requests with bytes changed, inserted, repeated and removed, in pieces of random length",
  databases: ["sqlite"],
  needs: ["Linux"],
  seconds: 4,
  least: { streams: 500, answers: 300, statuses: 5 },
  control: "one malformed request in twenty gets an answer without a length",
  run: ({ database, isControl, random, seconds }) =>
    Effect.gen(function* () {
      const { url } = yield* Storage.make(database)
      const sabotage = isControl ? "bare-refusal" : undefined
      const env = { PETSTORE_REQUEST_TIMEOUT_SECONDS: "1", PETSTORE_KEEP_ALIVE_SECONDS: "1" }
      const service = yield* Service.started({ url, env, sabotage })
      const contract = yield* Contract.make(service.port)
      const each = Math.ceil((seconds * streamsPerSecond) / callers)
      let sent = 0

      const caller = async (own: Random.Random, { count, report }: Traffic.Notes) => {
        const make = Requests.make(contract, own)
        for (let nth = 0; nth < each; nth++) {
          const requests = Array.from({ length: 1 + own.below(3) }, () => make().bytes)
          const bytes = mutated(Buffer.concat(requests), own)
          const connection = Wire.open(service.port)
          try {
            await sendInPieces(connection, bytes, own)
            // The others wait until the service gives up.
            if (own.next() < 0.9) connection.socket.end()
            // Answers to HEAD have no content.
            const content = bytes.includes("HEAD") ? "unknown" : "content"
            for (const answer of answersOf(await connection.closed(), content)) {
              count(answer.status)
              const problem =
                answer.status < 400
                  ? undefined
                  : contract.problem(answer, answer.body.length === 0 ? "HEAD" : "", undefined)
              if (problem !== undefined) throw new Wire.Broken(`an answer ${problem}`)
            }
          } catch (error) {
            report(String(error), bytes)
          } finally {
            connection.socket.destroy()
          }
          sent += 1
        }
      }
      const { figures, wrong } = yield* Traffic.run({
        ...{ service, random, callers, caller },
        isWarm: () => sent > (each * callers) / 4
      })
      return { figures: { streams: sent, ...figures }, wrong }
    })
}

/** All answers on a connection that was closed. */
const answersOf = (bytes: Buffer, content: Wire.Content): ReadonlyArray<Wire.Answer> => {
  const answers: Array<Wire.Answer> = []
  for (let at = 0; at < bytes.length; ) {
    const one = Wire.parse(bytes.subarray(at), content)
    if (one === undefined) throw new Wire.Broken(`an answer is cut: ${bytes.subarray(at)}`)
    answers.push(one.answer)
    at += one.length
  }
  return answers
}

const sendInPieces = async (
  { socket }: Wire.Connection,
  bytes: Buffer,
  { below }: Random.Random
) => {
  for (let at = 0; at < bytes.length && socket.writable; ) {
    const piece = bytes.subarray(at, at + 1 + below(bytes.length))
    socket.write(piece)
    at += piece.length
    await setImmediate()
  }
}

const fragments = [
  "\r\n",
  "\n",
  "\r\n\r\n",
  "\0",
  " ",
  ":",
  "Content-Length: 5\r\n",
  "Content-Length: 18446744073709551616\r\n",
  "Transfer-Encoding: chunked\r\n",
  "Transfer-Encoding: gzip, chunked\r\n",
  "Expect: 100-continue\r\n",
  "Connection: close\r\n",
  "Connection: upgrade\r\nUpgrade: h2c\r\n",
  "Host: other\r\n",
  "HTTP/1.0",
  "HTTP/2.0",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n",
  "\x16\x03\x01\x02\x00\x01",
  "0\r\n\r\n",
  "ffffffffffffffff\r\n",
  "-1\r\n"
] as const

/** Changes some bytes. */
const mutated = (bytes: Buffer, { below, bytes: noise, pick }: Random.Random): Buffer => {
  let text = bytes
  for (let many = below(4); many >= 0; many--) {
    const at = below(text.length + 1)
    const to = Math.min(text.length, at + 1 + below(pick([2, 20, 2000])))
    const [before, part, after] = [text.subarray(0, at), text.subarray(at, to), text.subarray(to)]
    text = pick([
      () => Buffer.concat([before, after]),
      () => Buffer.concat([before, part, part, after]),
      () => Buffer.concat([before, noise(part.length), after]),
      () => Buffer.concat([before, noise(1 + below(20)), part, after]),
      () => Buffer.concat([before, Buffer.from(pick(fragments), "latin1"), part, after]),
      () => Buffer.concat([before, Buffer.from(pick(fragments), "latin1"), after]),
      () => before
    ])()
  }
  return text
}
