/** Workers as their parent sees them; the processes are not real. */
import cluster from "node:cluster"
import { EventEmitter } from "node:events"
import { describe, expect, scoped } from "@effect/vitest"
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import { ConfigProvider, Deferred, Duration, Effect, Fiber, Layer, Option, TestClock } from "effect"
import { test, vi } from "vitest"
import { Terminal } from "../src/cli/Terminal.ts"
import { Log } from "../src/observe/Log.ts"
import { Observing } from "../src/observe/Observing.ts"
import * as Adapters from "../src/service/Adapters.ts"
import { AppConfig } from "../src/settings/AppConfig.ts"
import * as Worker from "../src/Worker.ts"
import * as Workers from "../src/workers/Workers.ts"
import { live } from "./support/Live.ts"

interface Fake {
  readonly role: unknown
  readonly child: EventEmitter & { pid: number | undefined }
  readonly worker: EventEmitter
  /** What its parent did to it, and asked. */
  readonly calls: Array<string>
  /** Whether it no longer answers. */
  isStuck: boolean
}

const serve = ({ worker }: Fake) => worker.emit("message", { _tag: "ready", host: "", url: "" })

/** Workers that run until the scope ends. Their processes begin like this, answer their parent, and end only if they are killed. */
const running = Effect.fnUntraced(function* (
  environment: Readonly<Record<string, string>>,
  begin: (fake: Fake) => void = serve
) {
  /** What all of them got. */
  const signals: Array<string> = []
  const fakes: Array<Fake> = []
  const start = (given?: Record<string, string>) => {
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
      disconnect: () => fake.calls.push("disconnect"),
      send: (_tag: string) => {
        fake.calls.push(_tag)
        if (!fake.isStuck) worker.emit("message", { _tag, metrics: [] })
      }
    })
    const role = JSON.parse(given?.["PETSTORE_WORKER"] ?? "")
    const fake: Fake = { role, child, worker, calls: [], isStuck: false }
    fakes.push(fake)
    setImmediate(() => begin(fake))
    return worker as never
  }
  const mocks = [
    vi.spyOn(cluster, "fork").mockImplementation(start),
    vi.spyOn(cluster, "setupPrimary").mockReturnValue()
  ]
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const mock of mocks) mock.mockRestore()
      for (const { child } of fakes) child.emit("close", null, "SIGKILL")
    })
  )
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
  return { fakes, ready: Deferred.await(ready), serving, signals }
})

// They replace what forks.
describe.sequential("workers", () => {
  scoped("a worker that stops is killed only if it takes longer than its settings allow", () =>
    Effect.gen(function* () {
      const environment = { PETSTORE_PRESTOP_SECONDS: "60", PETSTORE_DRAIN_SECONDS: "5" }
      const { fakes, ready, serving, signals } = yield* running(environment)
      yield* ready
      // What it could not be sent is no end.
      fakes[0]?.worker.emit("error", new Error("write EPIPE"))
      const stopping = yield* Effect.fork(Fiber.interrupt(serving))
      // It answers, so it has 15 seconds more.
      yield* TestClock.adjust("79 seconds")
      expect(signals).toEqual(["SIGTERM"])
      yield* TestClock.adjust("1 second")
      expect(signals).toEqual(["SIGTERM", "SIGKILL"])
      yield* Fiber.join(stopping)
    })
  )

  scoped("a worker that is stuck is killed after ten questions, and after two while it stops", () =>
    Effect.gen(function* () {
      const { fakes, ready, serving, signals } = yield* running({ PETSTORE_DRAIN_SECONDS: "5" })
      yield* ready
      yield* TestClock.adjust("20 seconds")
      for (const fake of fakes) fake.isStuck = true
      // The first of the questions is a second away.
      yield* TestClock.adjust("10 seconds")
      expect(signals).toEqual([])
      yield* TestClock.adjust("1 second")
      expect(signals).toContain("SIGKILL")
      yield* TestClock.adjust("1 second")
      expect(fakes.map(({ role }) => role)).toEqual([
        { number: 1, isFirst: true },
        { number: 1, isFirst: false }
      ])
      for (const fake of fakes) fake.isStuck = true
      signals.length = 0
      const stopping = yield* Effect.fork(Fiber.interrupt(serving))
      yield* TestClock.adjust("6 seconds")
      expect(signals).toEqual(["SIGTERM"])
      yield* TestClock.adjust("1 second")
      expect(signals).toEqual(["SIGTERM", "SIGKILL"])
      yield* Fiber.join(stopping)
    })
  )

  scoped("a worker that leaves gets no more connections before it gets its turn", () =>
    Effect.gen(function* () {
      const { fakes, ready } = yield* running({})
      yield* ready
      for (const fake of fakes) {
        fake.calls.length = 0
        // A worker does not answer this.
        fake.isStuck = true
        fake.worker.emit("message", { _tag: "leave" })
      }
      expect(fakes.map(({ calls }) => calls)).toEqual([["disconnect", "turn"]])
    })
  )

  scoped("workers on a passed socket serve on until none of them is left", () =>
    Effect.gen(function* () {
      const socket = { LISTEN_PID: String(process.pid), LISTEN_FDS: "1" }
      const { fakes, ready, serving } = yield* running({ ...socket, PETSTORE_WORKERS: "2" })
      yield* ready
      yield* TestClock.adjust("1 second")
      fakes[1]?.child.emit("close", 1, null)
      yield* TestClock.adjust("1 second")
      expect(fakes).toHaveLength(3)
      for (const { child } of fakes) child.emit("close", 1, null)
      expect(yield* Effect.flip(Fiber.join(serving))).toMatchObject({
        message: expect.stringMatching(/^all workers ended/)
      })
    })
  )

  scoped("the other workers start once the first one serves", () =>
    Effect.gen(function* () {
      const { fakes, ready } = yield* running({ PETSTORE_WORKERS: "3" }, () => {})
      yield* TestClock.adjust("1 minute")
      expect(fakes.map(({ role }) => role)).toEqual([{ number: 1, isFirst: true }])
      for (const fake of fakes.slice(0, 1)) serve(fake)
      yield* ready
      yield* TestClock.adjust("1 second")
      expect(fakes.slice(1).map(({ role }) => role)).toEqual([
        { number: 2, isFirst: false },
        { number: 3, isFirst: false }
      ])
    })
  )

  for (const [code, reason] of [
    [3, "unavailable"],
    [9, "failed"]
  ] as const) {
    scoped(`the parent ends as its first worker did, with ${code}: ${reason}`, () =>
      Effect.gen(function* () {
        const { serving } = yield* running({}, ({ child }) => child.emit("close", code, null))
        const failure = yield* Effect.flip(Fiber.join(serving))
        expect(failure).toMatchObject({ message: "", reason })
      })
    )
  }

  for (const [reason, begin] of [
    ["SIGABRT", ({ child }: Fake) => child.emit("close", null, "SIGABRT")],
    [
      "spawn EAGAIN",
      ({ child, worker }: Fake) => {
        child.pid = undefined
        worker.emit("error", new Error("spawn EAGAIN"))
      }
    ]
  ] as const) {
    scoped(`the parent says why its first worker did not start: ${reason}`, () =>
      Effect.gen(function* () {
        const { serving } = yield* running({}, begin)
        expect(yield* Effect.flip(Fiber.join(serving))).toMatchObject({
          message: `the first worker did not start (${reason})`
        })
      })
    )
  }
})

live.each([
  { isFirst: true, fd: undefined, listens: true },
  { isFirst: false, fd: undefined, listens: false },
  { isFirst: true, fd: 3, listens: false }
])("a process listens early ($listens) only if none serves before it: %o", function* (given) {
  const { fd, isFirst, listens } = given
  const port = yield* Effect.promise(LocalPostgres.freePort)
  const environment = ConfigProvider.fromJson({ PORT: String(port) })
  const config = yield* Effect.withConfigProvider(AppConfig, environment)
  yield* Layer.build(Adapters.listener({ ...config, fd })).pipe(
    Effect.provideService(Observing, { observers: [] } as never),
    Effect.provideService(Worker.Worker, { ...Worker.alone, isFirst })
  )
  const answer = Effect.tryPromise(() => fetch(`http://127.0.0.1:${port}/readyz`))
  expect(Option.isSome(yield* Effect.option(answer))).toBe(listens)
})

test("the pause before a worker starts again grows with each short run, and is short after a long one", () => {
  const pauses = ["1 second", ...Array<"29 seconds">(10).fill("29 seconds"), "30 seconds"] as const
  let pause = 0
  const seen = pauses.map((ran) => (pause = Workers.pauseAfter(Duration.decode(ran), pause)))
  const growing = [100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]
  expect(seen).toEqual([...growing, 100])
})
