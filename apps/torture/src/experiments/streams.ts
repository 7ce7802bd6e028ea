/** Bytes that are nearly HTTP. */
import { existsSync, statSync } from "node:fs"
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
/** By how much more there may be in the end than after a quarter of the work. */
const limits = { "memory in MB": 64, descriptors: 32, "log in MB": 8 }

export const streams: Experiment = {
  name: "streams",
  attack:
    "requests, most with bytes changed, inserted, repeated and removed, in pieces of random length",
  databases: ["sqlite", "postgres"],
  needs: ["Linux"],
  seconds: 8,
  least: { streams: 500, answers: 300, statuses: 5 },
  controls: [
    {
      broken: "one malformed request in twenty gets an answer without a length",
      sabotage: "bare-refusal"
    },
    { broken: "128 KB are kept for each request", sabotage: "leak" }
  ],
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
          const valid = Buffer.from(requests.join(""))
          const bytes = own.next() < 0.3 ? valid : mutated(valid, own)
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
      const before = usedBy(service, url)
      yield* work(0.75)
      const after = usedBy(service, url)
      for (const [name, limit] of Object.entries(limits)) {
        const change = `${before.get(name)}, then ${after.get(name)}`
        note({ [name]: change })
        if (Number(after.get(name)) > Number(before.get(name)) + limit)
          wrong(`${name} grew: ${change}`)
      }
      count("answers", statuses.total())
      count("statuses", statuses.size)
      if (!(yield* Effect.promise(() => Service.isReady(service.port))))
        wrong(`the service did not answer afterwards: ${service.output()}`)
    })
}

/** What the service uses that must not grow for ever. */
const usedBy = (service: Service.Service, url: string) => {
  const log = `${url.replace("sqlite:", "")}-wal`
  return new Map([
    ["memory in MB", Math.round(Process.megabytes(service))],
    ["descriptors", Process.descriptors(service)],
    ["log in MB", existsSync(log) ? Math.round(statSync(log).size / 1_048_576) : 0]
  ])
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

/** Pieces of HTTP in the wrong place. */
const fragments = [
  "\r\n",
  "\r\n\r\n",
  "\0",
  ":",
  "Content-Length: 5\r\n",
  "Content-Length: 18446744073709551616\r\n",
  "Transfer-Encoding: gzip, chunked\r\n",
  "Expect: 100-continue\r\n",
  "Connection: upgrade\r\nUpgrade: h2c\r\n",
  "HTTP/1.0",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n",
  "0\r\n\r\n",
  "ffffffffffffffff\r\n"
] as const

/** Removes, repeats and replaces some bytes, and inserts others. */
const mutated = (bytes: Buffer, { below, bytes: noise, pick }: Random.Random): Buffer => {
  let text = bytes
  for (let many = below(4); many >= 0; many--) {
    const at = below(text.length + 1)
    const to = Math.min(text.length, at + 1 + below(pick([2, 20, 2000])))
    const [before, part, after] = [text.subarray(0, at), text.subarray(at, to), text.subarray(to)]
    const fragment = Buffer.from(pick(fragments), "latin1")
    const instead = pick([Buffer.alloc(0), part, noise(part.length), noise(20), fragment])
    text = Buffer.concat([before, instead, pick([part, Buffer.alloc(0)]), after])
  }
  return text
}
