/** How the program stops: on the real process, with real sockets. */
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { folder } from "../support/Folder.ts"
import { main, open, type Program, start } from "../support/Process.ts"
import { openAll, RawClient, tally } from "../support/RawClient.ts"
import { allGone, ready, signal } from "../support/Workers.ts"

const key = "the-key-of-the-tests"
const pet = '{"name":"Rex","categoryId":1}'
const head = (method: string, rest = "") =>
  `${method} /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${rest}\r\n`
const list = head("GET")
const post = head("POST", `Content-Type: application/json\r\nContent-Length: ${pet.length}\r\n`)

/** Waits until what was sent before has been read: later requests are answered. */
const settled = (url: string) =>
  Effect.promise(async () => {
    for (let at = 0; at < 5; at++) await (await fetch(`${url}/healthz`)).text()
  })

/** Waits until the process has noticed a signal. */
const noticed = (program: Program) => Effect.promise(() => program.until(/stopping/))

describe.each([1, 2])("a stopping program with %i workers", (workers) => {
  const starting = (environment: Readonly<Record<string, string>>) =>
    Effect.gen(function* () {
      const path = yield* folder
      const program = yield* start(path, {
        PETSTORE_API_KEYS: key,
        PETSTORE_WORKERS: String(workers),
        ...environment
      })
      const url = yield* Effect.promise(() => program.url())
      const processes = workers > 1 ? yield* ready(program, workers) : []
      return { path, processes, program, url }
    })

  it.scopedLive(
    "loses no upload, no queued write and no fresh connection that finishes in time",
    () =>
      Effect.gen(function* () {
        const { path, program, url } = yield* starting({ PETSTORE_DRAIN_SECONDS: "60" })
        const blocker = new Database(join(path, "data", "petstore.db"))
        blocker.exec("BEGIN IMMEDIATE")
        const uploads = yield* Effect.promise(() => openAll(url, 100))
        for (const upload of uploads) upload.send(post + pet.slice(0, 10))
        const writes = yield* Effect.promise(() => openAll(url, 100))
        for (const write of writes) write.send(post + pet)
        yield* Effect.sleep("500 millis")
        const fresh = yield* Effect.promise(() => openAll(url, 300))
        program.process.kill("SIGTERM")
        for (const one of fresh) one.send(list)
        yield* noticed(program)
        yield* Effect.sleep("1 second")
        blocker.exec("ROLLBACK")
        for (const upload of uploads) upload.send(pet.slice(10))
        expect(yield* Effect.promise(() => tally(fresh))).toEqual({ 200: 300 })
        expect(yield* Effect.promise(() => tally(writes))).toEqual({ 201: 100 })
        expect(yield* Effect.promise(() => tally(uploads))).toEqual({ 201: 100 })
        expect(yield* Effect.promise(() => program.ended)).toMatchObject({ code: 0, signal: null })
        expect(blocker.prepare("SELECT count(*) FROM pets").pluck().get()).toBe(200)
        blocker.close()
      })
  )

  it.scopedLive("answers 503 to what does not finish in time", () =>
    Effect.gen(function* () {
      const { program, url } = yield* starting({ PETSTORE_DRAIN_SECONDS: "1" })
      const uploads = yield* Effect.promise(() => openAll(url, 20))
      for (const upload of uploads) upload.send(post + pet.slice(0, 10))
      yield* settled(url)
      program.process.kill("SIGTERM")
      expect(yield* Effect.promise(() => tally(uploads))).toEqual({ 503: 20 })
      expect(yield* Effect.promise(() => program.ended)).toMatchObject({ code: 0, signal: null })
    })
  )

  it.scopedLive("finishes its answers after a second signal, and ends at once after a third", () =>
    Effect.gen(function* () {
      for (const signals of [2, 3]) {
        const { processes, program, url } = yield* starting({ PETSTORE_DRAIN_SECONDS: "60" })
        const upload = new RawClient(url)
        upload.send(post + pet.slice(0, 10))
        yield* settled(url)
        program.process.kill("SIGTERM")
        yield* noticed(program)
        program.process.kill("SIGTERM")
        yield* Effect.sleep("500 millis")
        if (signals === 3) {
          // Not even workers that are stuck are left.
          signal(processes, "SIGSTOP")
          program.process.kill("SIGTERM")
          const { code } = yield* Effect.promise(() => program.ended)
          expect(code).toBe(130)
          yield* allGone(processes)
        } else {
          upload.send(pet.slice(10))
          expect(yield* Effect.promise(() => upload.status)).toBe(201)
          expect(yield* Effect.promise(() => program.ended)).toMatchObject({ code: 0 })
        }
      }
    })
  )

  it.scopedLive(
    "takes a Ctrl-C for one signal, although workers get it from the terminal, too",
    () =>
      Effect.gen(function* () {
        const { processes, program, url } = yield* starting({ PETSTORE_DRAIN_SECONDS: "60" })
        const upload = new RawClient(url)
        upload.send(post + pet.slice(0, 10))
        yield* settled(url)
        for (let times = 0; times < 2; times++) {
          signal(processes, "SIGINT")
          program.process.kill("SIGINT")
          yield* noticed(program)
          yield* Effect.sleep("500 millis")
        }
        upload.send(pet.slice(10))
        expect(yield* Effect.promise(() => upload.status)).toBe(201)
        expect(yield* Effect.promise(() => program.ended)).toMatchObject({ code: 0, signal: null })
        expect(program.stdout).not.toContain("ended")
      })
  )

  it.scopedLive("takes a closed terminal for a signal, once or twice", () =>
    Effect.gen(function* () {
      const { program, url } = yield* starting({ PETSTORE_DRAIN_SECONDS: "60" })
      const upload = new RawClient(url)
      upload.send(post + pet.slice(0, 10))
      yield* settled(url)
      program.process.kill("SIGHUP")
      yield* noticed(program)
      program.process.kill("SIGHUP")
      yield* Effect.sleep("200 millis")
      upload.send(pet.slice(10))
      expect(yield* Effect.promise(() => upload.status)).toBe(201)
      expect(yield* Effect.promise(() => program.ended)).toMatchObject({ code: 0, signal: null })
    })
  )

  it.scopedLive("keeps serving, but not ready, for as long as PETSTORE_PRESTOP_SECONDS says", () =>
    Effect.gen(function* () {
      const { program, url } = yield* starting({ PETSTORE_PRESTOP_SECONDS: "3" })
      const statusOf = (target: string) =>
        Effect.promise(async () => {
          const headers = { Authorization: `Bearer ${key}`, Connection: "close" }
          return (await fetch(`${url}${target}`, { headers })).status
        })
      expect(yield* statusOf("/readyz")).toBe(200)
      program.process.kill("SIGTERM")
      yield* noticed(program)
      while ((yield* statusOf("/readyz")) !== 503) yield* Effect.sleep("5 millis")
      expect(yield* statusOf("/v1/pets")).toBe(200)
      expect(yield* statusOf("/healthz")).toBe(200)
      expect(yield* Effect.promise(() => program.ended)).toMatchObject({ code: 0, signal: null })
    })
  )
})

describe.concurrent("a program that is stopped while it starts", () => {
  // Until the first of the program's own code runs, Node ends the process. This tells when it does.
  const hook =
    'process.on("newListener", (name) => name === "SIGTERM" && console.error("listening"))'
  const node = process.execPath
  const program = [
    node,
    "--import",
    `data:text/javascript,${encodeURIComponent(hook)}`,
    main
  ] as const

  const delays = [0, 10, 30, 60, 100, 150, 200, 300, 400]
  const cases = [[], ["serve"], ["--workers", "2"]]
    .flatMap((words) => delays.map((delay) => ({ delay, words })))
    // From there on an option starts the server as `serve` does.
    .concat([0, 10].map((delay) => ({ delay, words: ["--port", "0"] })))
  it.scopedLive.each(cases)("ends with 0 after $delay ms ($words)", ({ delay, words }) =>
    Effect.gen(function* () {
      const starting = yield* open(yield* folder, words, { environment: { PORT: "0" }, program })
      yield* Effect.promise(() => starting.until(/listening/))
      yield* Effect.sleep(delay)
      const ended = yield* Effect.promise(() => starting.stop("SIGTERM"))
      expect(ended).toMatchObject({ code: 0, signal: null })
      expect(ended.stderr.replaceAll("listening\n", "")).toBe("")
    })
  )
})
