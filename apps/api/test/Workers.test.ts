/** Workers as their parent sees them; the processes are not real. */
import cluster from "node:cluster"
import { EventEmitter } from "node:events"
import { effect, expect } from "@effect/vitest"
import { ConfigProvider, Deferred, Effect, Fiber, TestClock } from "effect"
import { onTestFinished, vi } from "vitest"
import { Terminal } from "../src/cli/Terminal.ts"
import { Log } from "../src/observe/Log.ts"
import { AppConfig } from "../src/settings/AppConfig.ts"
import * as Workers from "../src/workers/Workers.ts"

/** Processes that serve at once, answer their parent, and end only if they are killed; and the signals that they get. */
const fakeWorkers = (): ReadonlyArray<string> => {
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
  onTestFinished(() => {
    for (const mock of mocks) mock.mockRestore()
  })
  return signals
}

effect("a worker that stops is killed only if it takes longer than its settings allow", () =>
  Effect.gen(function* () {
    const signals = fakeWorkers()
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
