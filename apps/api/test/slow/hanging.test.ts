/** Processes and logs that stand still for longer than the service waits for a worker. */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { live } from "../support/Live.ts"
import { add, call, valuesOf } from "../support/Observed.ts"
import { linesOf } from "../support/ServerLog.ts"
import { ready, workers } from "../support/Workers.ts"

describe("workers", () => {
  live("survive a suspended parent, and serve although the log is not read", function* () {
    const environment = { LOG_REQUESTS: "all", PETSTORE_API_KEYS: "" }
    const { processes, program, url } = yield* workers(2, environment)
    program.process.kill("SIGSTOP")
    yield* Effect.sleep("13 seconds")
    program.process.kill("SIGCONT")
    for (let at = 0; at < 10; at++) expect(yield* call(url, "/healthz")).toBe(200)
    yield* Effect.sleep("3 seconds")
    expect(program.stdout).not.toMatch(/killed|ended/)
    // Only the first worker says so.
    expect(linesOf(program.stdout, /no API key/)).toHaveLength(1)
    program.process.stdout?.pause()
    // Over 4 MiB of lines, which is what may wait to be read.
    const path = `/${"x".repeat(4000)}`
    const calls = Array.from({ length: 1500 }, () => call(url, path))
    const statuses = yield* Effect.all(calls, { concurrency: 16 })
    expect(new Set(statuses)).toEqual(new Set([404]))
    process.kill(processes[0]?.pid ?? 0, "SIGKILL")
    const ended = new Promise((resolve) => program.process.once("exit", resolve))
    program.process.kill("SIGTERM")
    expect(yield* Effect.promise(() => ended)).toBe(0)
    program.process.stdout?.resume()
  })

  live("are replaced when they no longer answer, or killed after the drain time", function* () {
    const { processes, program, read, url } = yield* workers(2, { PETSTORE_DRAIN_SECONDS: "1" })
    for (let at = 0; at < 10; at++) expect(yield* add(url)).toBe(201)
    const counted = Effect.map(read, (metrics) =>
      valuesOf(metrics, "petstore_http_request_duration_seconds", { status: "201" }, "_count")
    )
    expect(yield* counted).toEqual([10])
    const [{ pid, worker } = { pid: 0, worker: 0 }] = processes
    process.kill(pid, "SIGSTOP")
    // The others' counts are read, and the last ones that it told.
    expect(yield* counted).toEqual([10])
    const replaced = (yield* ready(program, 3)).at(-1)
    expect([replaced?.worker, replaced?.pid === pid]).toEqual([worker, false])
    for (let at = 0; at < 10; at++) expect(yield* add(url)).toBe(201)
    const killed = (pid?: number) => ({
      level: "warn",
      message: `worker ${worker} does not answer, so it is killed`,
      worker,
      pid
    })
    const ended = [killed(pid), { level: "warn", worker, pid, signal: "SIGKILL" }]
    expect(linesOf(program.stdout, /killed|ended/)).toMatchObject(ended)
    const metrics = yield* read
    expect(metrics.get("petstore_workers")?.samples[0]?.value).toBe(2)
    expect(metrics.get("petstore_worker_restarts_total")?.samples[0]?.value).toBe(1)
    process.kill(replaced?.pid ?? 0, "SIGSTOP")
    const { code, stdout } = yield* Effect.promise(() => program.stop("SIGTERM"))
    expect(code).toBe(0)
    expect(linesOf(stdout, /killed/)).toMatchObject([killed(pid), killed(replaced?.pid)])
  })
})
