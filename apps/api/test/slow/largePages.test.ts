/** Many callers that list large pages and never read them. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { folder } from "../support/Folder.ts"
import { type Program, start } from "../support/Process.ts"
import { RawClient } from "../support/RawClient.ts"

const key = "the-key-of-the-tests"
const authorization = `Authorization: Bearer ${key}`
const callers = 100
const pageLength = 6_000_000

/** A service with pages of six million bytes. */
const serving = Effect.gen(function* () {
  const program = yield* start(yield* folder, { PETSTORE_API_KEYS: key })
  const url = yield* Effect.promise(() => program.url())
  const body = JSON.stringify({ name: "n".repeat(60_000), categoryId: 1 })
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }
  for (let at = 0; at < 100; at++) {
    yield* Effect.promise(() => fetch(`${url}/v1/pets`, { method: "POST", headers, body }))
  }
  return { program, url }
})

/** The greatest memory that the process has used. */
const peakOf = ({ process: { pid } }: Program): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024

const smallPage = async (url: string) => {
  const page = await fetch(`${url}/v1/pets?limit=1`, {
    headers: { Authorization: `Bearer ${key}` }
  })
  return [page.status, JSON.parse(await page.text()).length]
}

describe.skipIf(process.platform !== "linux")("pages of six million bytes", () => {
  it.scopedLive(
    "that are not read take little memory, and small answers do not wait for them",
    () =>
      Effect.gen(function* () {
        const { program, url } = yield* serving
        const deaf = Array.from({ length: callers }, () => new RawClient(url))
        yield* Effect.addFinalizer(() =>
          Effect.sync(() => {
            for (const { socket } of deaf) socket.destroy()
          })
        )
        for (const { socket } of deaf) {
          socket.pause()
          socket.write(
            `GET /v1/pets?limit=100 HTTP/1.1\r\nHost: x\r\n${authorization}\r\n\r\n`.repeat(3)
          )
        }
        yield* Effect.promise(() => program.until(/its caller did not read the response/))
        for (let at = 0; at < 20; at++) {
          expect(yield* Effect.promise(() => smallPage(url))).toEqual([200, 1])
        }
        expect(peakOf(program)).toBeLessThan(callers * pageLength)
      })
  )
})
