/** How the program stops: on the real process, with real sockets. */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { folder, live } from "../support/Folder.ts"
import { call, key, postHead, rex } from "../support/Observed.ts"
import { main, open, type Program, preloading, serve } from "../support/Process.ts"
import { openAll, RawClient, tally } from "../support/RawClient.ts"

/** Waits until what was sent before has been read: later requests are answered. */
const settled = (url: string) =>
  Effect.promise(async () => {
    for (let at = 0; at < 5; at++) await (await fetch(`${url}/healthz`)).text()
  })

/** Waits until the process has noticed a signal. */
const noticed = (program: Program) => Effect.promise(() => program.until(/stopping/))

describe("a stopping program", () => {
  const starting = (environment: Readonly<Record<string, string>>) =>
    Effect.flatMap(folder, (path) => serve(path, { PETSTORE_API_KEYS: key, ...environment }))

  /** With a request that is half sent. */
  const uploading = Effect.gen(function* () {
    const server = yield* starting({ PETSTORE_DRAIN_SECONDS: "60" })
    const upload = new RawClient(server.url)
    upload.send(postHead + rex.slice(0, 10))
    yield* settled(server.url)
    return { ...server, upload }
  })

  live("serves on for PETSTORE_PRESTOP_SECONDS, and answers 503 in the end", function* () {
    const { program, url } = yield* starting({
      PETSTORE_DRAIN_SECONDS: "1",
      PETSTORE_PRESTOP_SECONDS: "3"
    })
    const uploads = yield* Effect.promise(() => openAll(url, 20))
    for (const upload of uploads) upload.send(postHead + rex.slice(0, 10))
    yield* settled(url)
    expect(yield* call(url, "/readyz")).toBe(200)
    program.process.kill("SIGTERM")
    yield* noticed(program)
    while ((yield* call(url, "/readyz")) !== 503) yield* Effect.sleep("5 millis")
    expect(yield* call(url, "/v1/pets")).toBe(200)
    expect(yield* call(url, "/healthz")).toBe(200)
    expect(yield* Effect.promise(() => tally(uploads))).toEqual({ 503: 20 })
    expect(yield* Effect.promise(() => program.ended)).toMatchObject({ code: 0, signal: null })
  })

  live("finishes its answers after a Ctrl-C and a closed terminal", function* () {
    const { program, upload } = yield* uploading
    program.process.kill("SIGINT")
    yield* noticed(program)
    program.process.kill("SIGHUP")
    yield* Effect.sleep("500 millis")
    upload.send(rex.slice(10))
    expect(yield* Effect.promise(() => upload.status)).toBe(201)
    expect(yield* Effect.promise(() => program.ended)).toMatchObject({ code: 0, signal: null })
  })

  live("serves, and ends with 0, though nobody reads its log", function* () {
    const { program, url } = yield* starting({ LOG_REQUESTS: "all" })
    program.process.stdout?.pause()
    // Over 4 MiB of lines, which is what may wait to be read.
    const path = `/${"x".repeat(4000)}`
    const calls = Array.from({ length: 1500 }, () => call(url, path))
    const statuses = yield* Effect.all(calls, { concurrency: 16 })
    expect(new Set(statuses)).toEqual(new Set([404]))
    const ended = new Promise((resolve) => program.process.once("exit", resolve))
    program.process.kill("SIGTERM")
    expect(yield* Effect.promise(() => ended)).toBe(0)
    program.process.stdout?.resume()
  })

  live("ends at once after a third signal of any kind", function* () {
    const { program } = yield* uploading
    program.process.kill("SIGTERM")
    yield* noticed(program)
    program.process.kill("SIGINT")
    yield* Effect.sleep("500 millis")
    expect(program.process.exitCode).toBe(null)
    program.process.kill("SIGTERM")
    const { code } = yield* Effect.promise(() => program.ended)
    expect(code).toBe(130)
  })
})

describe("a program that is stopped while it starts", () => {
  // Until the first of the program's own code runs, Node ends the process. This tells when it has, up to its last listener.
  const hook =
    'process.on("newListener", (name) => name === "SIGHUP" && process.nextTick(console.error, "listening"))'
  const program = [process.execPath, preloading(hook), main] as const

  const cases = [0, 30, 100, 200, 400]
    .map((delay): { delay: number; words: Array<string> } => ({ delay, words: [] }))
    // They differ in the first moment only.
    .concat([["serve"], ["--port", "0"]].map((words) => ({ delay: 0, words })))
  live.each(cases)("ends with 0 after $delay ms ($words)", function* ({ delay, words }) {
    const starting = yield* open(yield* folder, words, { environment: { PORT: "0" }, program })
    yield* Effect.promise(() => starting.until(/listening/))
    yield* Effect.sleep(delay)
    const ended = yield* Effect.promise(() => starting.stop("SIGTERM"))
    expect(ended).toMatchObject({ code: 0, signal: null })
    expect(ended.stderr.replaceAll("listening\n", "")).toBe("")
  })

  // Between the listener for the time of loading and that of the server there was none for a moment.
  live("ends with 0 after a SIGHUP at any time", function* () {
    for (let delay = 0; delay <= 600; delay += 50) {
      const starting = yield* open(yield* folder, [], { environment: { PORT: "0" }, program })
      yield* Effect.promise(() => starting.until(/listening/))
      yield* Effect.sleep(delay)
      const stopping = Effect.promise(() => starting.stop("SIGHUP"))
      const ended = yield* Effect.timeout(stopping, "30 seconds")
      expect(ended).toMatchObject({ code: 0, signal: null })
    }
  })
})
