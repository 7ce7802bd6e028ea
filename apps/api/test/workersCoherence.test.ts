/** Workers on one SQLite file answer as one server would. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { walkWhileWriting } from "./support/Load.ts"
import { key, serviceBy } from "./support/Observed.ts"
import { start } from "./support/Process.ts"

describe("three workers on one file", () => {
  it.scopedLive("lose, duplicate and hide no pet while readers follow next", () =>
    Effect.gen(function* () {
      const { program, url } = yield* serviceBy(start)({
        PETSTORE_WORKERS: "3",
        PETSTORE_KEEP_ALIVE_SECONDS: "600"
      })
      yield* Effect.promise(() => program.untilAll(/is ready/, 3))
      const { ends } = yield* walkWhileWriting([url], key, { writers: 64, readers: 8, writes: 15 })
      expect(ends).toBeGreaterThan(0)
    })
  )
})
