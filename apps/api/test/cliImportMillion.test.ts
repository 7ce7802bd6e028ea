import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFile } from "./support/Animals.ts"
import { open } from "./support/Command.ts"
import { folder } from "./support/Program.ts"
import { query } from "./support/Sqlite.ts"

/** The most memory that a process has held so far, in KiB; nothing once it has ended. */
const peakOf = (pid: number | undefined): number | undefined => {
  try {
    const [, kib] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
    return kib === undefined ? undefined : Number(kib)
  } catch {
    return undefined
  }
}

/** Imports so many animals into a new database; tells how long it took and how much it held. */
const importing = (count: number) =>
  Effect.gen(function* () {
    const path = yield* folder
    const file = join(path, "animals.ndjson")
    yield* Effect.promise(() => writeFile(file, count))
    const start = performance.now()
    const command = yield* open(path, ["import", file])
    let peak = 0
    const sampling = setInterval(() => {
      peak = Math.max(peak, peakOf(command.process.pid) ?? 0)
    }, 20)
    const { code, stderr } = yield* Effect.promise(() => command.ended)
    clearInterval(sampling)
    const seconds = (performance.now() - start) / 1000
    expect([code, stderr]).toEqual([0, `imported ${count} animals\n`])
    expect(query(join(path, "data/petstore.db"), "SELECT count(*) FROM pets")).toEqual([count])
    return { seconds, peak }
  }).pipe(Effect.scoped)

describe("an import of a million animals", () => {
  it.scopedLive(
    "takes less than 20 seconds, and hardly more memory than a quarter of them",
    () =>
      Effect.gen(function* () {
        const quarter = yield* importing(250_000)
        const million = yield* importing(1_000_000)
        expect(million.seconds).toBeLessThan(20)
        expect(quarter.peak).toBeGreaterThan(50_000)
        expect(million.peak / quarter.peak).toBeLessThan(1.5)
      }),
    180_000
  )
})
