/** `petstore import` of many pets, and interrupted at each message. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { folder, live } from "../support/Folder.ts"
import { interruptedAtMessage } from "../support/Interrupting.ts"
import { add } from "../support/Observed.ts"
import * as Process from "../support/Process.ts"
import { type Options, open, run, runOnTerminal, serve } from "../support/Program.ts"
import { addPets, lines, query, writeFile } from "../support/Stock.ts"

/** Preloaded into the command: prints its peak memory in KiB. */
const hook = `
  import { writeSync } from "node:fs"
  import { isMainThread } from "node:worker_threads"
  if (isMainThread) {
    process.on("exit", () => writeSync(2, "peak " + process.resourceUsage().maxRSS))
  }
`

/** The peak memory of importing this many pets into a new database. */
const peakOf = (count: number) =>
  Effect.gen(function* () {
    const path = yield* folder
    const file = join(path, "pets.ndjson")
    yield* Effect.promise(() => writeFile(file, count, "x".repeat(900)))
    const { code, stderr } = yield* Process.run(path, ["import", file], {
      environment: { NODE_OPTIONS: Process.preloading(hook) }
    })
    const [told = "", peak = ""] = stderr.split("peak ")
    expect([code, told]).toEqual([0, `imported ${count} pets\n`])
    expect(query(join(path, "data/petstore.db"), "SELECT count(*) FROM pets")).toEqual([count])
    return Number(peak)
  }).pipe(Effect.scoped)

it.scopedLive(
  "an import of many pets needs hardly more memory than a quarter of them",
  () =>
    Effect.gen(function* () {
      const few = yield* peakOf(20_000)
      const many = yield* peakOf(80_000)
      expect(few).toBeGreaterThan(50_000)
      expect(many / few).toBeLessThan(1.5)
    }),
  240_000
)

const database = "data/petstore.db"
const countOf = (path: string) => query(join(path, database), "SELECT count(*) FROM pets")[0]

/** More than one message to the thread that stages them. */
const some = 3000

const interrupted = "nothing was imported: interrupted\n"

/** Enough that adding them takes longer than the time below. */
const many = 20_000

describe("an import that is interrupted", () => {
  live.each([
    { signal: "SIGINT", ended: { code: 130, signal: null, stderr: interrupted } },
    { signal: "SIGTERM", ended: { code: 130, signal: null, stderr: interrupted } },
    { signal: "SIGKILL", ended: { code: null, signal: "SIGKILL", stderr: "" } }
  ] as const)("by $signal in the middle leaves nothing behind", function* ({ ended, signal }) {
    const path = yield* folder
    yield* addPets(path, lines(3))
    const importing = yield* (signal === "SIGKILL" ? Process.open : open)(path, ["import", "-"])
    for (let piece = 0; piece < 6; piece++)
      yield* Effect.promise(() => importing.write(lines(2000)))
    const result = yield* Effect.promise(() => importing.stop(signal))
    expect(result).toMatchObject({ ...ended, stdout: "" })
    expect(countOf(path)).toBe(3)
    expect(readdirSync(path)).toEqual(["data"])
    // The next process cleans up after a killed one.
    expect(yield* run(path, ["import", "-"], { stdin: lines(2) })).toMatchObject({ code: 0 })
    expect(countOf(path)).toBe(5)
    expect(readdirSync(join(path, "data"))).toEqual(["petstore.db"])
  })

  live("by Ctrl-C says so, and leaves nothing behind, not even the progress bar", function* () {
    const path = yield* folder
    yield* Effect.promise(() => writeFile(join(path, "many.ndjson"), many))
    // Once it shows its progress.
    const onOutput: Options["onOutput"] = (text, command) =>
      void (/[1-9]\d* %/.test(text) && command.stop("SIGINT"))
    const seen = yield* runOnTerminal(path, ["import", "many.ndjson"], { onOutput })
    expect(seen.code).toBe(130)
    expect(seen.screen.split("\r\u001b[K").at(-1)).toBe(interrupted.replace("\n", "\r\n"))
    expect(seen.screen).not.toMatch(/^imported/m)
    expect(countOf(path)).toBe(0)
    expect(readdirSync(path).sort()).toEqual(["data", "many.ndjson"])
    expect(readdirSync(join(path, "data"))).toEqual(["petstore.db"])
  })
})

// Alone, so that the messages are its own.
live("an import that is interrupted at any message reports what it stored", function* () {
  const path = yield* folder
  yield* Effect.promise(() => writeFile(join(path, "some.ndjson"), some))
  const whole = { code: 0, stderr: `imported ${some} pets\n`, count: some }
  const nothing = { code: 130, stderr: interrupted, count: 0 }
  const outcomes: Array<unknown> = []
  let isOver = false
  for (let message = 1; !isOver; message++) {
    yield* addPets(path, "", `${message}.db`)
    const words = ["import", "some.ndjson", "--database", `sqlite:${message}.db`]
    const { code, isInterrupted, stderr } = yield* interruptedAtMessage(path, words, message)
    const [count] = query(join(path, `${message}.db`), "SELECT count(*) FROM pets")
    const outcome = { code, stderr, count }
    expect([whole, nothing]).toContainEqual(outcome)
    outcomes.push(outcome)
    isOver = !isInterrupted
  }
  expect(outcomes.at(-1)).toEqual(whole)
  // It was in time before the commit, and too late after it.
  expect(outcomes[0]).toEqual(nothing)
  expect(outcomes.at(-2)).toEqual(whole)
})

live("an import beside a server blocks nothing, and is visible at once", function* () {
  const path = yield* folder
  const { url } = yield* serve(path, { PETSTORE_API_KEYS: "the-key-of-the-tests" })
  const importing = yield* Process.open(path, ["import", "-"])
  for (let piece = 0; piece < 10; piece++) {
    yield* Effect.promise(() => importing.write(lines(2000, "imported")))
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
  expect([...seen].filter((count) => count !== 10)).toEqual([20_010])
  expect(yield* Effect.promise(() => importing.ended)).toMatchObject({ code: 0 })
  const answer = yield* Effect.promise(() =>
    fetch(`${url}/v1/pets/20010`, { headers: { Authorization: "Bearer the-key-of-the-tests" } })
  )
  expect(yield* Effect.promise(() => answer.json())).toMatchObject({ name: "imported 2000" })
  expect(yield* add(url, "after")).toBe(201)
})
