/** Workers on one SQLite file answer as one server would. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Coherence from "./support/Coherence.ts"
import { service } from "./support/Observed.ts"

describe("four workers on one file", () => {
  it.scopedLive("lose no pet, give no id twice, and let no reader miss a pet", () =>
    Effect.gen(function* () {
      const { program, url } = yield* service({
        PETSTORE_WORKERS: "4",
        PETSTORE_KEEP_ALIVE_SECONDS: "600"
      })
      yield* Effect.promise(() => program.untilAll(/is ready/, 4))
      const load = { writers: 64, readers: 8, writes: 2000 }
      const seen = yield* Effect.promise(() => Coherence.observe([url], load))
      expect(seen.problems).toEqual([])
      expect(seen.adds).toEqual({ 201: load.writes })
    })
  )
})
