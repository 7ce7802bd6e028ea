import { Writable } from "node:stream"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"

type Terminal = typeof import("../src/cli/Terminal.ts")
type Progress = typeof import("../src/cli/Progress.ts")
// TypeScript rejects imports from another project's sources, so the paths are built at run time.
const source = new URL("../src/cli/", import.meta.url)
const Terminal: Terminal = await import(new URL("Terminal.ts", source).href)
const Progress: Progress = await import(new URL("Progress.ts", source).href)

describe("the progress of a command", () => {
  it.scoped("is at most 100 %, though more pets than expected are done", () =>
    Effect.gen(function* () {
      let text = ""
      const write = (piece: unknown, _: unknown, done: () => void) => {
        text += piece
        done()
      }
      const stderr = Object.assign(new Writable({ write }), { isTTY: true })
      const progress = yield* Effect.provideService(Progress.make, Terminal.Terminal, {
        ...Terminal.current,
        stderr
      })
      progress.show(1_010_000 / 1_006_902, 1_010_000)
      expect(text.replace("\r\u001b[K", "")).toMatch(
        /^\[█{30}\] 100 % {2}1,010,000 pets {2}[\d,]+\/s {2}0:00 left$/
      )
    })
  )
})
