import { Writable } from "node:stream"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Progress from "../src/cli/Progress.ts"
import * as Terminal from "../src/cli/Terminal.ts"

it.scoped(
  "the progress of a command is at most 100 %, though more pets than expected are done",
  () =>
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
