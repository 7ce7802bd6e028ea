/** The log of several workers is one stream of whole lines. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { live } from "./support/Live.ts"
import { call } from "./support/Observed.ts"
import { workers } from "./support/Workers.ts"

const calls = 250

live("the log of workers has all of their lines, however slowly it is read", function* () {
  const { program, url } = yield* workers(2, {
    LOG_REQUESTS: "all",
    PETSTORE_NO_SUCH_THING: "x"
  })
  const { stdout } = program.process
  // Reads a little, and then nothing for a while.
  const timer = setInterval(() => stdout?.resume(), 20)
  stdout?.on("data", () => stdout.pause())
  // The log has no more of a path.
  const path = `/v1/${"a".repeat(300)}`
  yield* Effect.all(
    Array.from({ length: calls }, () => call(url, path)),
    { concurrency: 64 }
  )
  yield* Effect.promise(() => program.untilAll(/"status":404/, calls))
  clearInterval(timer)
  const lines = program.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
  const requests = lines.filter(({ status }) => status === 404)
  expect(requests).toHaveLength(calls)
  expect(new Set(requests.map(({ worker }) => worker)).size).toBe(2)
  expect(new Set(requests.map(({ requestId }) => requestId)).size).toBe(calls)
  // What is about the whole service is there once, not from each worker.
  expect(lines.filter(({ message }) => / is not a setting/.test(message))).toHaveLength(1)
  stdout?.destroy()
  for (let at = 0; at < 20; at++) expect(yield* call(url, "/v1/pets")).toBe(200)
  const { code } = yield* Effect.promise(() => program.stop("SIGTERM"))
  expect(code).toBe(0)
})
