/** Processes and logs that stand still for longer than the service waits for a worker. */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { live } from "../support/Live.ts"
import { add, call } from "../support/Observed.ts"
import { linesOf } from "../support/ServerLog.ts"
import { ready, workers } from "../support/Workers.ts"

describe("workers", () => {
  live("are not killed by a parent that was suspended itself", function* () {
    const { program, url } = yield* workers(2)
    program.process.kill("SIGSTOP")
    yield* Effect.sleep("13 seconds")
    program.process.kill("SIGCONT")
    for (let at = 0; at < 10; at++) expect(yield* call(url, "/v1/pets")).toBe(200)
    yield* Effect.sleep("3 seconds")
    const { code, stdout } = yield* Effect.promise(() => program.stop("SIGTERM"))
    expect(code).toBe(0)
    expect(stdout).not.toMatch(/killed|ended/)
  })

  live("are replaced when they no longer answer", function* () {
    const { processes, program, read, url } = yield* workers(2)
    const [{ pid, worker } = { pid: 0, worker: 0 }] = processes
    process.kill(pid, "SIGSTOP")
    const replaced = (yield* ready(program, 3)).at(-1)
    expect([replaced?.worker, replaced?.pid === pid]).toEqual([worker, false])
    for (let at = 0; at < 10; at++) expect(yield* add(url)).toBe(201)
    expect(linesOf(program.stdout, /killed|ended/)).toMatchObject([
      {
        level: "warn",
        message: `worker ${worker} does not answer, so it is killed`,
        worker,
        pid
      },
      { level: "warn", worker, pid, signal: "SIGKILL" }
    ])
    const metrics = yield* read
    expect(metrics.get("petstore_workers")?.samples[0]?.value).toBe(2)
    expect(metrics.get("petstore_worker_restarts_total")?.samples[0]?.value).toBe(1)
  })

  live("serve and stop although the log is not read", function* () {
    const { processes, program, url } = yield* workers(2, { LOG_REQUESTS: "all" })
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
})
