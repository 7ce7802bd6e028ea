/** A database file that is lost while the server runs. */
import { cpSync, renameSync, rmSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { folder } from "./support/Folder.ts"
import { kill, start } from "./support/Program.ts"
import { linesOf } from "./support/ServerLog.ts"
import { query } from "./support/Sqlite.ts"

const headers = { Authorization: "Bearer the-key-of-the-tests", "Content-Type": "application/json" }

const status = (url: string, path: string) =>
  Effect.promise(async () => (await fetch(url + path, { headers })).status)

const add = (url: string, name: string) =>
  Effect.promise(async () => {
    const body = JSON.stringify({ name, categoryId: 1 })
    return (await fetch(`${url}/v1/pets`, { method: "POST", headers, body })).status
  })

/** Polls until the status is as expected. */
const becomes = (url: string, path: string, expected: number) =>
  status(url, path).pipe(
    Effect.repeat({
      until: (status) => status === expected,
      schedule: Schedule.spaced("50 millis").pipe(Schedule.upTo("20 seconds"))
    }),
    Effect.zipRight(status(url, path))
  )

const serving = Effect.gen(function* () {
  const path = yield* folder
  const program = yield* start(path, { PETSTORE_API_KEYS: "the-key-of-the-tests" })
  const url = yield* Effect.promise(() => program.url())
  const file = join(path, "data", "petstore.db")
  for (let nth = 0; nth < 10; nth++) expect(yield* add(url, `before ${nth}`)).toBe(201)
  return { file, path, program, url }
})

describe("a server whose database file was replaced", () => {
  it.scopedLive("is not ready and answers 503, until the file is back", () =>
    Effect.gen(function* () {
      const { file, program, url } = yield* serving
      renameSync(file, `${file}.away`)
      cpSync(`${file}.away`, file)
      expect(yield* becomes(url, "/readyz", 503)).toBe(503)
      expect(yield* status(url, "/v1/pets")).toBe(503)
      expect(yield* status(url, "/v1/pets/1")).toBe(503)
      expect(yield* add(url, "lost")).toBe(503)
      expect(yield* status(url, "/healthz")).toBe(200)
      renameSync(`${file}.away`, file)
      expect(yield* becomes(url, "/readyz", 200)).toBe(200)
      expect(yield* status(url, "/v1/pets/1")).toBe(200)
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
  )
})

describe("a server whose write-ahead log was damaged", () => {
  for (const [how, damage] of [
    ["removed", (wal: string) => rmSync(wal)],
    ["truncated", (wal: string) => truncateSync(wal, 0)]
  ] as const) {
    it.scopedLive(`by being ${how} acknowledges nothing that would be lost at a restart`, () =>
      Effect.gen(function* () {
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
    )
  }
})
