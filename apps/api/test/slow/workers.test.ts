/** Several processes that serve together, and their parent. */
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { describe, expect } from "@effect/vitest"
import Database from "better-sqlite3"
import { ConfigProvider, Effect, Fiber } from "effect"
import * as AppConfig from "../../src/settings/AppConfig.ts"
import { folder } from "../support/Folder.ts"
import { live } from "../support/Live.ts"
import { call, postHead, rex, until } from "../support/Observed.ts"
import { run, runOnTerminal } from "../support/Process.ts"
import { RawClient } from "../support/RawClient.ts"
import { linesOf } from "../support/ServerLog.ts"
import { stranger } from "../support/Service.ts"
import { allGone, ready, workers } from "../support/Workers.ts"

describe("workers", () => {
  live("are replaced when they end, sooner at first, while the others serve", function* () {
    const { processes, program, read, url } = yield* workers(2)
    const statuses: Array<number> = []
    const calling = yield* Effect.fork(
      Effect.map(call(url, "/v1/pets"), (status) => statuses.push(status)).pipe(
        Effect.delay("5 millis"),
        Effect.forever
      )
    )
    let pid = processes.find(({ worker }) => worker === 2)?.pid ?? 0
    for (let starts = 3; starts < 6; starts++) {
      // A connection that is handed over at this moment would be lost, so there is none.
      const before = statuses.length
      yield* until(
        Effect.sync(() => statuses.length),
        (count) => count > before + 5
      )
      process.kill(pid, "SIGTERM")
      pid = (yield* ready(program, starts)).at(-1)?.pid ?? 0
    }
    yield* Fiber.interrupt(calling)
    expect(new Set(statuses)).toEqual(new Set([200]))
    const ends = linesOf(program.stdout, /ended/)
    expect(ends).toMatchObject(Array(3).fill({ level: "warn", worker: 2, exitCode: 0 }))
    const pauses = ends.map(({ message }) => Number(/in ([\d.]+) s$/.exec(message)?.[1]))
    expect(pauses).toEqual([0.1, 0.2, expect.closeTo(0.4, 0.11)])
    expect((yield* read).get("petstore_worker_restarts_total")?.samples[0]?.value).toBe(3)
  })

  live("end if their parent is killed, whatever they are doing", function* () {
    const { path, processes, program, read, url } = yield* workers(2)
    const blocker = yield* Effect.acquireRelease(
      Effect.sync(() => new Database(join(path, "data", "petstore.db"))),
      (database) => Effect.sync(() => database.close())
    )
    blocker.exec("BEGIN IMMEDIATE")
    const writes = Array.from({ length: 20 }, () => new RawClient(url))
    for (const write of writes) write.send(postHead + rex)
    yield* until(read, (metrics) => {
      const [sample] = metrics.get("petstore_http_requests_in_flight")?.samples ?? []
      return sample?.value === writes.length
    })
    yield* Effect.promise(() => program.stop("SIGKILL"))
    yield* allGone(processes)
  })

  live("are stopped once by Ctrl-C, and the parent exits with 0", function* () {
    const { code, screen, signal } = yield* runOnTerminal(
      yield* folder,
      ["serve", "--port", "0", "--workers", "2"],
      {
        environment: { LOG_REQUESTS: "all", NO_COLOR: "1" },
        reactions: [
          [
            /worker 2 is ready/,
            (screen) => void fetch(`${/serving (\S+)/.exec(screen)?.[1]}/healthz`)
          ],
          [/GET \/healthz .*\r/, () => "\u0003"]
        ]
      }
    )
    expect([code, signal]).toEqual([0, undefined])
    expect(screen).toMatch(/\d INFO {2}serving http/)
    expect(screen).toMatch(/\d INFO {2}GET \/healthz 200 .* worker=[12]\r\n/)
    expect(screen.match(/stopping/g)).toHaveLength(1)
    expect(screen.match(/It is shown only once/g)).toHaveLength(1)
    expect(screen).not.toContain("ended")
  })
})

live("workers are as many as there are cores if their number is auto", function* () {
  const environment = ConfigProvider.fromMap(new Map([["PETSTORE_WORKERS", "auto"]]))
  const { workers } = yield* Effect.withConfigProvider(AppConfig.AppConfig, environment)
  expect(workers).toBe(availableParallelism())
})

describe("a parent that cannot start its first worker", () => {
  live.each(["--port", "PETSTORE_METRICS_PORT"])(
    "exits as the worker did, which says that %s is in use",
    function* (name) {
      const { port } = new URL(yield* stranger(() => {}))
      const isOption = name === "--port"
      const words = ["serve", "--workers", "4", "--port", isOption ? port : "0"]
      const { code, stderr, stdout } = yield* run(yield* folder, words, {
        environment: isOption ? {} : { [name]: port }
      })
      expect([code, stdout]).toEqual([3, ""])
      expect(stderr).toMatch(new RegExp(`^${name} ${port} is in use on 127\\.0\\.0\\.1: .*\n$`))
    }
  )
})
