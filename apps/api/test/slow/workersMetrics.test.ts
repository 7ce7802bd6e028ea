/** The metrics of several workers, as one service's. */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Family } from "../support/Exposition.ts"
import { live } from "../support/Live.ts"
import { call, connection, until, valuesOf } from "../support/Observed.ts"
import { linesOf } from "../support/ServerLog.ts"
import { ready, workers } from "../support/Workers.ts"

const requests = "petstore_http_request_duration_seconds"

const sumOf = (values: ReadonlyArray<number>) => values.reduce((a, b) => a + b, 0)

const countOf = (metrics: ReadonlyMap<string, Family>) =>
  sumOf(valuesOf(metrics, requests, { route: "/v1/pets" }, "_count"))

/** The samples of counters and histograms, by name and labels. */
const countsOf = (metrics: ReadonlyMap<string, Family>) =>
  new Map(
    [...metrics.values()]
      .filter(({ type }) => type !== "gauge")
      .flatMap(({ samples }) => samples)
      .map(({ labels, name, value }) => [`${name} ${JSON.stringify(labels)}`, value])
  )

describe("metrics of workers", () => {
  live("are their sums, and one of what all have alike; all answer and log", function* () {
    const { processes, program, read, url } = yield* workers(3, { LOG_REQUESTS: "all" })
    expect(processes.map(({ worker }) => worker).sort()).toEqual([1, 2, 3])
    for (let at = 0; at < 30; at++) expect(yield* call(url, "/v1/pets")).toBe(200)
    for (let at = 0; at < 3; at++) yield* connection(url, "")
    const metrics = yield* until(
      read,
      (metrics) => valuesOf(metrics, "petstore_http_connections")[0] === 3
    )
    expect(countOf(metrics)).toBe(30)
    expect(valuesOf(metrics, requests, { route: "/v1/pets", le: "+Inf" }, "_bucket")).toEqual([30])
    expect(valuesOf(metrics, "petstore_build_info")).toEqual([1])
    expect(valuesOf(metrics, "petstore_ready")).toEqual([1])
    expect(valuesOf(metrics, "petstore_workers")).toEqual([3])
    expect(valuesOf(metrics, "petstore_worker_restarts_total")).toEqual([0])
    yield* Effect.promise(() => program.untilAll(/GET/, 30))
    const numbers = linesOf(program.stdout, /^GET/).map(({ worker }) => worker)
    expect([...new Set(numbers)].sort()).toEqual([1, 2, 3])
    const { code, stderr } = yield* Effect.promise(() => program.stop("SIGTERM"))
    expect([code, stderr]).toEqual([0, ""])
    for (const message of [/^serving/, /^stopping/, /^metrics at/]) {
      expect(linesOf(program.stdout, message)).toHaveLength(1)
    }
  })

  live("keep the counts of a worker that was replaced, but not its gauges", function* () {
    const { processes, program, read, url } = yield* workers(2)
    for (let at = 0; at < 20; at++) yield* call(url, "/v1/pets")
    const sockets = yield* Effect.replicateEffect(connection(url, ""), 4)
    const open = (metrics: ReadonlyMap<string, Family>) =>
      valuesOf(metrics, "petstore_http_connections")[0]
    const before = yield* until(read, (metrics) => open(metrics) === 4)
    const [{ pid, worker } = { pid: 0, worker: 0 }] = processes
    process.kill(pid, "SIGKILL")
    let previous = countsOf(before)
    const seen = yield* until(read, (metrics) => {
      const counts = countsOf(metrics)
      for (const [name, value] of previous) {
        expect([name, (counts.get(name) ?? -1) >= value]).toEqual([name, true])
      }
      previous = counts
      const isRestarted = valuesOf(metrics, "petstore_worker_restarts_total")[0] === 1
      // Those of the other worker; the kernel closes the rest.
      return isRestarted && open(metrics) === sockets.filter(({ closed }) => !closed).length
    })
    expect(countOf(seen)).toBe(20)
    expect(open(seen)).toBeLessThan(4)
    const replaced = (yield* ready(program, 3)).at(-1)
    expect([replaced?.worker, replaced?.pid === pid]).toEqual([worker, false])
    const [end] = linesOf(program.stdout, /ended/)
    expect(end).toMatchObject({ level: "warn", worker, pid, signal: "SIGKILL" })
    for (let at = 0; at < 20; at++) yield* call(url, "/v1/pets")
    const after = yield* until(read, (metrics) => valuesOf(metrics, "petstore_workers")[0] === 2)
    expect(countOf(after)).toBe(40)
  })
})
