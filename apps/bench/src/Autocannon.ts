/** Load from autocannon, for where wrk is not installed. It takes more CPU than wrk from the server. */
import autocannon from "autocannon"
import { type Burst, connections, seconds, type Target } from "./Burst.ts"
import { apiKey } from "./Servers.ts"
import type { Call } from "./Works.ts"

/** As many requests with random ids are prepared for each connection, which then repeats them. */
const prepared = 60

export const burst = async ({ origin, work, animals, seed }: Target): Promise<Burst> => {
  const random = randomFrom(seed)
  const calls = work.mix.flatMap(({ times, call }) => Array<Call>(times).fill(call))
  const length = calls.some(({ path }) => path.includes("{")) ? prepared : calls.length
  const requests = (first: number) =>
    Array.from({ length }, (_, index) => {
      const call = calls[(first + index) % calls.length] as Call
      return {
        method: call.method,
        path: call.path
          .replace("{id}", () => String(1 + Math.floor(random() * animals)))
          .replace("{limit}", () => String(1 + Math.floor(random() * 100))),
        headers: {
          authorization: `Bearer ${apiKey}`,
          ...(call.closes && { connection: "close" }),
          ...(call.body !== "" && { "content-type": "application/json" })
        },
        ...(call.body !== "" && { body: call.body })
      }
    })
  let clients = 0
  const result = await autocannon({
    url: origin,
    connections,
    duration: seconds,
    timeout: 10,
    // Each connection begins elsewhere, or all would send their rare calls at the same moment.
    setupClient: (client) => client.setRequests(requests(clients++))
  })
  return {
    requests: result.requests.total,
    seconds: result.duration,
    failures: result.non2xx + result.errors + result.timeouts,
    p99Millis: result.latency.p99
  }
}

/** Numbers from 0 to 1 that a seed determines (mulberry32). */
const randomFrom = (seed: number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
