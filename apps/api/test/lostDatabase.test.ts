/** A database file that is lost while the server runs. */
import { cpSync, renameSync } from "node:fs"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { folder } from "./support/Folder.ts"
import { live } from "./support/Live.ts"
import { add, call, key, until } from "./support/Observed.ts"
import { serve } from "./support/Program.ts"
import { linesOf } from "./support/ServerLog.ts"

const becomes = (url: string, path: string, expected: number) =>
  until(call(url, path), (status) => status === expected)

live("a server whose file was replaced answers 503 until it is back", function* () {
  const path = yield* folder
  const { program, url } = yield* serve(path, { PETSTORE_API_KEYS: key })
  const file = join(path, "data", "petstore.db")
  expect(yield* add(url, "before")).toBe(201)
  renameSync(file, `${file}.away`)
  cpSync(`${file}.away`, file)
  yield* becomes(url, "/readyz", 503)
  expect(yield* call(url, "/v1/pets")).toBe(503)
  expect(yield* call(url, "/v1/pets/1")).toBe(503)
  expect(yield* add(url, "lost")).toBe(503)
  expect(yield* call(url, "/healthz")).toBe(200)
  renameSync(`${file}.away`, file)
  yield* becomes(url, "/readyz", 200)
  expect(yield* call(url, "/v1/pets/1")).toBe(200)
  expect(yield* add(url, "after")).toBe(201)
  yield* Effect.promise(() => program.until(/works again/))
  expect(linesOf(program.stdout, /cannot be used|works again/)).toMatchObject([
    { level: "error", message: expect.stringContaining("put it back, or restart the service") },
    {
      level: "info",
      message: expect.stringMatching(/it was down for \d+ s, and 3 requests got 503$/)
    }
  ])
  expect(linesOf(program.stdout, /refused/)).toMatchObject([{ level: "warn" }])
})
