/** Generated requests, and whether answers fit the OpenAPI document. */
import * as Effect from "effect/Effect"
import * as Contract from "../Contract.ts"
import type { Experiment } from "../Experiment.ts"
import type * as Random from "../Random.ts"
import * as Requests from "../Requests.ts"
import * as Service from "../Service.ts"
import * as Storage from "../Storage.ts"
import * as Traffic from "../Traffic.ts"
import * as Wire from "../Wire.ts"

const requestsPerSecond = 1500
const callers = 32

/** Requests of every kind, on connections that are kept, one by one and pipelined. */
export const requests: Experiment = {
  name: "requests",
  promise:
    "every request gets one answer, in order, that fits the OpenAPI document; none is a 5xx, and memory stays within limits",
  attack:
    "generated requests, valid, nearly valid and invalid, up to four at a time on a connection",
  databases: ["sqlite", "postgres"],
  needs: ["Linux"],
  seconds: 2,
  least: { answers: 1000, statuses: 8 },
  control: "one error in a hundred has a field that is not documented",
  run: ({ database, isControl, random, seconds }) =>
    Effect.gen(function* () {
      const { url } = yield* Storage.make(database)
      const sabotage = isControl ? "extra-field" : undefined
      const service = yield* Service.started({ url, sabotage })
      const contract = yield* Contract.make(service.port)
      const each = Math.ceil((seconds * requestsPerSecond) / callers)
      let answered = 0
      const caller = async (own: Random.Random, notes: Traffic.Notes, nth: number) => {
        const { report } = notes
        const seen: Requests.Seen = { cursors: [], tags: [], keys: [] }
        const make = Requests.make(contract, own, seen)
        const connection = { now: Wire.open(service.port) }
        for (let sent = 0; sent < each; ) {
          const first = sent
          const id = (at: number) => `${nth}-${first + at}`
          const batch = Array.from({ length: 1 + own.below(4) }, (_, at) => make(id(at)))
          connection.now.socket.write(Buffer.concat(batch.map(({ bytes }) => bytes)))
          for (const [at, asked] of batch.entries()) {
            const isLast = await answer(connection.now, asked, id(at), seen, notes).catch(
              (error) => {
                report("no answer", asked.bytes, ` (${error})`)
                return true
              }
            )
            sent += 1
            answered += 1
            if (!isLast) continue
            const rest = await connection.now.closed().catch(() => Buffer.from("open"))
            if (rest.length > 0) report("more after the last answer", asked.bytes)
            connection.now.socket.destroy()
            connection.now = Wire.open(service.port)
            break
          }
        }
        connection.now.socket.end()
        const rest = await connection.now.closed()
        if (rest.length > 0) report("an answer that no request asked for", rest)
      }
      /** Reads an answer and checks it: whether it closes the connection. */
      const answer = async (
        connection: Wire.Connection,
        asked: Requests.Asked,
        id: string,
        seen: Requests.Seen,
        { count, report }: Traffic.Notes
      ) => {
        const { bytes, expected, method, operation } = asked
        const got = await connection.read(method === "HEAD" ? "none" : "content")
        const { headers, status } = got
        count(status)
        const problem = contract.problem(got, method, operation)
        if (problem !== undefined) report(`an answer ${problem}`, bytes)
        if (headers.get("x-request-id") !== id && status !== 431)
          report("an answer to another request", bytes)
        if (expected.length > 0 && !expected.includes(status))
          report(`an answer is ${status} instead of ${expected.join(" or ")}`, bytes)
        const cursor = /[?&]cursor=([^&>]+)/.exec(headers.get("link") ?? "")?.[1]
        if (cursor !== undefined) seen.cursors[seen.cursors.length % 64] = cursor
        const tag = headers.get("etag")
        if (tag !== undefined) seen.tags[seen.tags.length % 64] = tag
        return headers.get("connection") === "close"
      }
      return yield* Traffic.run({
        ...{ service, random, callers, caller },
        isWarm: () => answered > (each * callers) / 4
      })
    })
}
