/** A database file that is lost while the server runs. */
import { cpSync, renameSync, rmSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { folder } from "./support/Folder.ts"
import { live } from "./support/Live.ts"
import { add, call, key, until } from "./support/Observed.ts"
import { kill, serve } from "./support/Program.ts"
import { linesOf } from "./support/ServerLog.ts"
import { query } from "./support/Sqlite.ts"

const becomes = (url: string, path: string, expected: number) =>
  until(call(url, path), (status) => status === expected)

const serving = Effect.gen(function* () {
  const path = yield* folder
  const { program, url } = yield* serve(path, { PETSTORE_API_KEYS: key })
  const file = join(path, "data", "petstore.db")
  for (let nth = 0; nth < 10; nth++) expect(yield* add(url, `before ${nth}`)).toBe(201)
  return { file, path, program, url }
})

live("a server whose file was replaced answers 503 until it is back", function* () {
  const { file, program, url } = yield* serving
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
    { level: "error", message: expect.stringContaining("set DATABASE_URL to a writable file") },
    {
      level: "info",
      message: expect.stringMatching(/it was down for \d+ s, and 3 requests got 503$/)
    }
  ])
  expect(linesOf(program.stdout, /refused/)).toMatchObject([{ level: "warn" }])
})

describe("a server whose write-ahead log was damaged", () => {
  for (const [how, damage] of [
    ["removed", (wal: string) => rmSync(wal)],
    ["truncated", (wal: string) => truncateSync(wal, 0)]
  ] as const) {
    live(`by being ${how} acknowledges nothing that would be lost at a restart`, function* () {
      const { file, path, program, url } = yield* serving
      damage(`${file}-wal`)
      const acknowledged: Array<string> = []
      for (let nth = 0; nth < 5; nth++) {
        if ((yield* add(url, `after ${nth}`)) === 201) acknowledged.push(`after ${nth}`)
      }
      yield* kill(path, program)
      const kept = query(file, "SELECT name FROM pets")
      expect(kept).toEqual(expect.arrayContaining(acknowledged))
    })
  }
})
