/** Bytes that are nearly HTTP. */
import { setImmediate } from "node:timers/promises"
import * as Effect from "effect/Effect"
import type { Experiment } from "../Experiment.ts"
import { Counts } from "../Figures.ts"
import * as Process from "../Process.ts"
import * as Random from "../Random.ts"
import * as Service from "../Service.ts"
import * as Storage from "../Storage.ts"
import * as Wire from "../Wire.ts"

const streamsPerSecond = 150
const callers = 64
/** By how much memory may grow once a quarter of the work is done. */
const maxGrowth = 96

export const streams: Experiment = {
  name: "streams",
  attack: "requests with bytes changed, inserted, repeated and removed, in pieces of random length",
  databases: ["sqlite", "postgres"],
  needs: ["Linux"],
  seconds: 4,
  least: { streams: 500, answers: 300, statuses: 5 },
  control: {
    broken: "one malformed request in twenty gets an answer without a length",
    sabotage: "bare-refusal"
  },
  run: ({ count, database, note, random, sabotage, seconds, wrong }) =>
    Effect.gen(function* () {
      const { url } = yield* Storage.make(database)
      const env = { PETSTORE_REQUEST_TIMEOUT_SECONDS: "1", PETSTORE_KEEP_ALIVE_SECONDS: "1" }
      const service = yield* Service.started({ url, env, sabotage })
      const statuses = new Counts<number>()
      const each = Math.ceil((seconds * streamsPerSecond) / callers)

      const caller = async (own: Random.Random, many: number) => {
        for (let nth = 0; nth < many; nth++) {
          const requests = Array.from({ length: 1 + own.below(3) }, () => requestOf(own))
          const bytes = mutated(Buffer.from(requests.join("")), own)
          const connection = Wire.open(service.port)
          try {
            await sendInPieces(connection, bytes, own)
            // The others wait until the service gives up.
            if (own.next() < 0.9) connection.socket.end()
            for (const answer of answersOf(await connection.closed(), bytes.includes("HEAD"))) {
              statuses.add(answer.status)
              check(answer)
            }
          } catch (error) {
            wrong(`${error}, to ${JSON.stringify(bytes.toString("latin1").slice(0, 1000))}`)
          } finally {
            connection.socket.destroy()
          }
          count("streams")
        }
      }
      const seeds = Array.from({ length: callers }, (_, nth) =>
        Random.make(random.below(2 ** 31), `caller ${nth}`)
      )
      const work = (share: number) =>
        Effect.promise(() => Promise.all(seeds.map((own) => caller(own, Math.ceil(each * share)))))
      yield* work(0.25)
      const before = Process.megabytes(service)
      yield* work(0.75)
      const growth = Math.round(Process.megabytes(service) - before)
      count("answers", statuses.total())
      count("statuses", statuses.size)
      note({ "memory grew by MB": growth })
      if (growth > maxGrowth) wrong(`memory grew by ${growth} MB`)
      if (!(yield* Effect.promise(() => Service.isReady(service.port))))
        wrong(`the service did not answer afterwards: ${service.output()}`)
    })
}

/** A request, which is valid or nearly so. */
const requestOf = ({ below, pick }: Random.Random): string => {
  const id = pick(["1", "0", "-1", "9223372036854775807", "9223372036854775808", "x", "%31"])
  const query = pick(["", `?limit=${below(102)}`, "?status=sold", "?cursor=x", "?limit=1&limit=2"])
  const name = String.fromCodePoint(...Array.from({ length: 9 }, () => below(0xd800)))
  const pet = { name, categoryId: pick([1, -1, 1.5, 2 ** 53, "1"]), status: pick(statuses) }
  return pick([
    () => Wire.request(`${pick(["GET", "HEAD", "OPTIONS", "PUT"])} /v1/pets${query}`),
    () => Wire.request(`${pick(["GET", "HEAD"])} /v1/pets/${id}`),
    () => Wire.request("POST /v1/pets", pet),
    () => Wire.request("POST /v1/pets", pet).replace("\r\n", `\r\nIdempotency-Key: ${id}\r\n`),
    () => `${chunked}4\r\n{"na\r\n19\r\nme":"Rex","categoryId":1}\r\n0\r\n\r\n`
  ])()
}

const statuses = [undefined, "available", "sold", "gone"] as const
const chunked = Wire.request("POST /v1/pets").replace(
  /\r\n$/,
  "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
)

/** An error says its status, as JSON, unless the request was HEAD. */
const check = ({ body, headers, status }: Wire.Answer) => {
  if (status >= 500) throw new Wire.Broken(`an answer is ${status}: ${body}`)
  if (status < 400 || body.length === 0) return
  const said = headers.get("content-type") === "application/json" && JSON.parse(`${body}`).status
  if (said !== status) throw new Wire.Broken(`an answer of status ${status} is ${body}`)
}

/** All answers on a connection that was closed. */
const answersOf = (bytes: Buffer, mayBeHead: boolean): ReadonlyArray<Wire.Answer> => {
  const answers: Array<Wire.Answer> = []
  for (let at = 0; at < bytes.length; ) {
    const one = Wire.parse(bytes.subarray(at), mayBeHead)
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
