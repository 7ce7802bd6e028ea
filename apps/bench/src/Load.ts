/** Bursts of requests on 32 connections, from wrk where it is installed and autocannon elsewhere. */
import { execFile, execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import autocannon from "autocannon"
import { apiKey } from "./Servers.ts"
import type { Call, Work } from "./Works.ts"

export const connections = 32
/** Whole seconds, which is what wrk can count. */
export const seconds = 1

export interface Burst {
  readonly requests: number
  readonly seconds: number
  /** Answers that were errors, and requests that had no answer. */
  readonly failures: number
  readonly p99Millis: number
}

export interface Target {
  readonly origin: string
  readonly work: Work
  /** The ids from which `{id}` is taken: 1 to this. */
  readonly animals: number
  /** The same for every server of a round, so that all are asked for the same ids. */
  readonly seed: number
}

const script = fileURLToPath(new URL("../../src/wrk.lua", import.meta.url))

/** A burst from wrk. */
const wrkBurst = async ({ origin, work, animals, seed }: Target): Promise<Burst> => {
  const calls = work.mix.flatMap(({ times, call }) => [
    String(times),
    call.method,
    call.path,
    call.body,
    call.closes ? "close" : "keep-alive"
  ])
  const { stdout } = await promisify(execFile)("wrk", [
    "--threads=1",
    `--connections=${connections}`,
    `--duration=${seconds}s`,
    "--timeout=10s",
    `--script=${script}`,
    origin,
    "--",
    apiKey,
    String(animals),
    String(seed),
    String(connections),
    ...calls
  ])
  const summary = stdout.split("\n").findLast((line) => line.startsWith("{"))
  if (summary === undefined) throw new Error(`wrk said nothing of what it did: ${stdout}`)
  return JSON.parse(summary) as Burst
}

/** As many requests with random ids are prepared for each connection, which then repeats them. */
const prepared = 60

/** A burst from autocannon, for where wrk is not installed. It takes more CPU than wrk from the server. */
const autocannonBurst = async ({ origin, work, animals, seed }: Target): Promise<Burst> => {
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

export interface Generator {
  readonly name: string
  readonly burst: (target: Target) => Promise<Burst>
}

export const generator = (): Generator => {
  try {
    execFileSync("sh", ["-c", "command -v wrk"], { stdio: "ignore" })
    return { name: "wrk", burst: wrkBurst }
  } catch {
    return { name: "autocannon", burst: autocannonBurst }
  }
}
