/** Workers as their parent sees them; the processes are not real. */
import cluster from "node:cluster"
import { EventEmitter } from "node:events"
import { expect, scoped } from "@effect/vitest"
import { ConfigProvider, Deferred, Duration, Effect, Fiber, TestClock } from "effect"
import { test, vi } from "vitest"
import { Terminal } from "../src/cli/Terminal.ts"
import { Log } from "../src/observe/Log.ts"
import { AppConfig } from "../src/settings/AppConfig.ts"
import * as Workers from "../src/workers/Workers.ts"

/** Processes that serve at once, answer their parent, and end only if they are killed; and the signals that they get. */
const fakeWorkers = Effect.gen(function* () {
  const signals: Array<string> = []
  const start = () => {
    const child = Object.assign(new EventEmitter(), {
      pid: 1,
      stdout: null,
      kill: (signal: string) => {
        signals.push(signal)
        if (signal === "SIGKILL") child.emit("close", null, signal)
      }
    })
    const worker = Object.assign(new EventEmitter(), {
      process: child,
      isConnected: () => true,
      send: (_tag: string) => worker.emit("message", { _tag })
    })
    setImmediate(() => worker.emit("message", { _tag: "ready", host: "", url: "" }))
    return worker as never
  }
  const mocks = [
    vi.spyOn(cluster, "fork").mockImplementation(start),
    vi.spyOn(cluster, "setupPrimary").mockReturnValue()
  ]
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const mock of mocks) mock.mockRestore()
    })
  )
  return signals
})

scoped("a worker that stops is killed only if it takes longer than its settings allow", () =>
  Effect.gen(function* () {
    const signals = yield* fakeWorkers
    const environment = { PETSTORE_PRESTOP_SECONDS: "60", PETSTORE_DRAIN_SECONDS: "5" }
    const provider = ConfigProvider.fromJson(environment)
    const config = yield* Effect.withConfigProvider(AppConfig, provider)
    const ready = yield* Deferred.make<void>()
    const announce = () => Effect.asVoid(Deferred.succeed(ready, undefined))
    const serving = yield* Workers.run(config, announce).pipe(
      Effect.scoped,
      Effect.provideService(Terminal, { once: () => {} } as never),
      Effect.provideService(Log, { format: "json", forward: () => {} } as never),
      Effect.fork
    )
    yield* Deferred.await(ready)
    const stopping = yield* Effect.fork(Fiber.interrupt(serving))
    // It answers, so it has 15 seconds more.
    yield* TestClock.adjust("79 seconds")
    expect(signals).toEqual(["SIGTERM"])
    yield* TestClock.adjust("1 second")
    expect(signals).toEqual(["SIGTERM", "SIGKILL"])
    yield* Fiber.join(stopping)
  })
)

test("the pause before a worker starts again grows with each short run, and is short after a long one", () => {
  const pauses = ["1 second", ...Array<"29 seconds">(10).fill("29 seconds"), "30 seconds"] as const
  let pause = 0
  const seen = pauses.map((ran) => (pause = Workers.pauseAfter(Duration.decode(ran), pause)))
  const growing = [100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]
  expect(seen).toEqual([...growing, 100])
})
