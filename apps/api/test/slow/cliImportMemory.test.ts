import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { folder } from "../support/Folder.ts"
import { writeFile } from "../support/Pets.ts"
import { run } from "../support/Process.ts"
import { query } from "../support/Sqlite.ts"

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
    const { code, stderr } = yield* run(path, ["import", file], {
      environment: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}` }
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
