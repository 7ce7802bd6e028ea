import { execFileSync } from "node:child_process"
import { constants, readdirSync } from "node:fs"
import { open as openFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { lines, writeFile } from "./support/Pets.ts"
import { folder, open, run, runOnTerminal, start } from "./support/Program.ts"
import { query } from "./support/Sqlite.ts"
import { addPets } from "./support/Stock.ts"

const database = "data/petstore.db"
const countOf = (path: string) => query(join(path, database), "SELECT count(*) FROM pets")[0]

const add = (url: string, name: string) =>
  Effect.promise(async () => {
    const answer = await fetch(`${url}/v1/pets`, {
      method: "POST",
      headers: { Authorization: "Bearer the-key-of-the-tests", "Content-Type": "application/json" },
      body: JSON.stringify({ name, categoryId: 1 })
    })
    return answer.status
  })

const interrupted = "nothing was imported: interrupted\n"

/** Enough that adding them takes longer than the times below. */
const many = 50_000

/** Stops an import some time after its last line. */
const stopAfter = (path: string, millis: number, signal: NodeJS.Signals) =>
  Effect.gen(function* () {
    const importing = yield* open(path, ["import", "-"])
    yield* Effect.promise(() => importing.write(lines(many)))
    importing.process.stdin?.end()
    yield* Effect.sleep(millis)
    const { code, stderr } = yield* Effect.promise(() => importing.stop(signal))
    return { code, stderr, count: countOf(path) }
  })

describe.concurrent("an import that is interrupted", () => {
  it.scopedLive.each([
    { signal: "SIGINT", ended: { code: 130, signal: null, stderr: interrupted } },
    { signal: "SIGTERM", ended: { code: 130, signal: null, stderr: interrupted } },
    { signal: "SIGKILL", ended: { code: null, signal: "SIGKILL", stderr: "" } }
  ] as const)("by $signal in the middle leaves nothing behind", ({ ended, signal }) =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* addPets(path, lines(3))
      const importing = yield* open(path, ["import", "-"])
      for (let piece = 0; piece < 6; piece++)
        yield* Effect.promise(() => importing.write(lines(5000)))
      const result = yield* Effect.promise(() => importing.stop(signal))
      expect(result).toMatchObject({ ...ended, stdout: "" })
      expect(countOf(path)).toBe(3)
      expect(readdirSync(path)).toEqual(["data"])
      // The next process cleans up after a killed one.
      expect(yield* run(path, ["import", "-"], { stdin: lines(2) })).toMatchObject({ code: 0 })
      expect(countOf(path)).toBe(5)
      expect(readdirSync(join(path, "data"))).toEqual(["petstore.db"])
    })
  )

  it.scopedLive.each([0, 100, 200])(
    "%d ms after its last line is complete or has no effect",
    (millis) =>
      Effect.gen(function* () {
        const { code, count, stderr } = yield* stopAfter(yield* folder, millis, "SIGKILL")
        expect([0, many]).toContain(count)
        if (code === 0 || stderr.includes("imported")) expect(count).toBe(many)
      })
  )

  it.scopedLive.each([0, 50, 100, 150, 200, 250, 300])(
    "by SIGINT %d ms after its last line reports what it stored",
    (millis) =>
      Effect.gen(function* () {
        const left = yield* stopAfter(yield* folder, millis, "SIGINT")
        const whole = { code: 0, stderr: `imported ${many} pets\n`, count: many }
        const nothing = { code: 130, stderr: interrupted, count: 0 }
        expect([whole, nothing]).toContainEqual(left)
      })
  )

  it.scopedLive("by Ctrl-C says so, and leaves nothing behind, not even the progress bar", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* Effect.promise(() => writeFile(join(path, "many.ndjson"), 200_000))
      const seen = yield* runOnTerminal(path, ["import", "many.ndjson"], {
        types: { keys: "\u0003", once: /[1-9]\d* %/ }
      })
      expect([seen.code, seen.signal]).toEqual([130, undefined])
      expect(seen.screen.split("\r\u001b[K").at(-1)).toBe(interrupted.replace("\n", "\r\n"))
      expect(seen.screen).not.toMatch(/^imported/m)
      expect(countOf(path)).toBe(0)
      expect(readdirSync(path).sort()).toEqual(["data", "many.ndjson"])
      expect(readdirSync(join(path, "data"))).toEqual(["petstore.db"])
    })
  )
})

/** Opens a FIFO for writing, once a process reads it. */
const writerOf = (fifo: string) =>
  Effect.acquireRelease(
    Effect.tryPromise(() => openFile(fifo, constants.O_WRONLY | constants.O_NONBLOCK)).pipe(
      Effect.retry(Schedule.spaced("10 millis"))
    ),
    (file) => Effect.promise(() => file.close())
  )

describe.concurrent("an import of a FIFO", () => {
  const reading = Effect.gen(function* () {
    const path = yield* folder
    const fifo = join(path, "pets.ndjson")
    execFileSync("mkfifo", [fifo])
    return { path, fifo, importing: yield* open(path, ["import", fifo]) }
  })

  it.scopedLive.each(["SIGINT", "SIGTERM"] as const)(
    "ends by %s while its writer is silent",
    (signal) =>
      Effect.gen(function* () {
        const { fifo, importing } = yield* reading
        const writer = yield* writerOf(fifo)
        yield* Effect.promise(() => writer.write(lines(1)))
        expect(yield* Effect.promise(() => importing.stop(signal))).toMatchObject({
          code: 130,
          stderr: interrupted
        })
      })
  )

  it.scopedLive("waits for its writer, and reads until that ends", () =>
    Effect.gen(function* () {
      const { fifo, importing, path } = yield* reading
      yield* Effect.promise(() => writeFile(fifo, 5000))
      expect(yield* Effect.promise(() => importing.ended)).toMatchObject({
        code: 0,
        stderr: "imported 5000 pets\n"
      })
      expect(countOf(path)).toBe(5000)
    })
  )
})

describe.concurrent("an import beside a server", () => {
  it.scopedLive("does not block reads and writes, and becomes visible at once", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const server = yield* start(path, { PETSTORE_API_KEYS: "the-key-of-the-tests" })
      const url = yield* Effect.promise(() => server.url())
      const importing = yield* open(path, ["import", "-"])
      for (let piece = 0; piece < 10; piece++) {
        yield* Effect.promise(() => importing.write(lines(5000, "imported")))
        expect(yield* add(url, `served ${piece}`)).toBe(201)
      }
      expect(countOf(path)).toBe(10)
      importing.process.stdin?.end()
      // At any moment, either none or all of the imported pets are visible.
      const seen = new Set<unknown>()
      let ended = false
      importing.ended.then(() => {
        ended = true
      })
      while (!ended) {
        seen.add(countOf(path))
        yield* Effect.sleep("2 millis")
      }
      seen.add(countOf(path))
      expect([...seen].filter((count) => count !== 10)).toEqual([50_010])
      expect(yield* Effect.promise(() => importing.ended)).toMatchObject({ code: 0 })
      const answer = yield* Effect.promise(() =>
        fetch(`${url}/v1/pets/50010`, { headers: { Authorization: "Bearer the-key-of-the-tests" } })
      )
      expect(yield* Effect.promise(() => answer.json())).toMatchObject({ name: "imported 5000" })
      expect(yield* add(url, "after")).toBe(201)
    })
  )
})
