import { Writable } from "node:stream"
import { expect, scoped } from "@effect/vitest"
import { Effect } from "effect"
import { vi } from "vitest"
import * as Progress from "../src/cli/Progress.ts"
import * as Terminal from "../src/cli/Terminal.ts"

/** The progress of a command on a terminal, and what it has drawn. */
const drawing = (columns?: number) =>
  Effect.gen(function* () {
    const drawn: Array<string> = []
    const write = (piece: unknown, _: unknown, done: () => void) => {
      drawn.push(String(piece).replace("\r\u001b[K", ""))
      done()
    }
    const stderr = Object.assign(new Writable({ write }), { isTTY: true, columns })
    const progress = yield* Effect.provideService(Progress.make, Terminal.Terminal, {
      ...Terminal.current,
      stderr
    })
    return { drawn, progress }
  })

/** What a command shows on a terminal, before it is erased. */
const shown = (columns: number | undefined, done: number, pets: number) =>
  Effect.map(drawing(columns), ({ drawn, progress }) => {
    progress.show(done, pets)
    return drawn.join("")
  })

scoped("the progress of a command is at most 100 %, though more pets than expected are done", () =>
  Effect.gen(function* () {
    expect(yield* shown(undefined, 1_010_000 / 1_006_902, 1_010_000)).toMatch(
      /^100 % {2}1,010,000 pets$/
    )
  })
)

scoped("it is drawn every tenth of a second, with the number of pets", () =>
  Effect.gen(function* () {
    const clock = vi.spyOn(performance, "now").mockReturnValue(1000)
    yield* Effect.addFinalizer(() => Effect.sync(() => clock.mockRestore()))
    const { drawn, progress } = yield* drawing()
    for (const [now, done, pets] of [
      [21_000, 0.2, 2000],
      [21_099, 0.3, 3000],
      [21_100, 0.5, 4020],
      [21_200, 0, 0],
      [41_000, 0.999, 8000]
    ] as const) {
      clock.mockReturnValue(now)
      progress.show(done, pets)
    }
    expect(drawn).toEqual([
      "20 %  2,000 pets",
      "50 %  4,020 pets",
      "0 %  0 pets",
      "99 %  8,000 pets"
    ])
  })
)

scoped("it fits a narrow terminal, where a line that wraps could not be erased", () =>
  Effect.gen(function* () {
    const text = yield* shown(10, 0.5, 500_000)
    expect(text).toMatch(/^50 % {2}500$/)
    expect(text.length).toBeLessThan(10)
  })
)

scoped("what it says in its place is shown without the escapes of terminals", () =>
  Effect.gen(function* () {
    const { drawn, progress } = yield* drawing()
    yield* progress.say("pet \u001b[2J")
    expect(drawn).toEqual(["pet \\u001b[2J\n"])
  })
)
