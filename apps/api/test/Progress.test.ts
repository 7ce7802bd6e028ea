import { Writable } from "node:stream"
import { expect, scoped } from "@effect/vitest"
import { Effect } from "effect"
import * as Progress from "../src/cli/Progress.ts"
import * as Terminal from "../src/cli/Terminal.ts"

/** What a command shows on a terminal, before it is erased. */
const shown = (columns: number | undefined, done: number, pets: number) =>
  Effect.gen(function* () {
    let text = ""
    const write = (piece: unknown, _: unknown, done: () => void) => {
      text += piece
      done()
    }
    const stderr = Object.assign(new Writable({ write }), { isTTY: true, columns })
    const progress = yield* Effect.provideService(Progress.make, Terminal.Terminal, {
      ...Terminal.current,
      stderr
    })
    progress.show(done, pets)
    return text.replace("\r\u001b[K", "")
  })

scoped("the progress of a command is at most 100 %, though more pets than expected are done", () =>
  Effect.gen(function* () {
    expect(yield* shown(undefined, 1_010_000 / 1_006_902, 1_010_000)).toMatch(
      /^\[█{20}\] 100 % {2}1,010,000 pets {2}[\d,]+\/s {2}0:00 left$/
    )
  })
)

scoped("it fits a narrow terminal, where a line that wraps could not be erased", () =>
  Effect.gen(function* () {
    const text = yield* shown(40, 0.5, 500_000)
    expect(text).toMatch(/^\[█{10} {10}\] 50 % {2}500,000/)
    expect(text.length).toBeLessThan(40)
  })
)
