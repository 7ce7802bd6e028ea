import { Writable } from "node:stream"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"

type Terminal = typeof import("../src/cli/Terminal.ts")
// TypeScript rejects imports from another project's sources, so the path is built at run time.
const Terminal: Terminal = await import(new URL("../src/cli/Terminal.ts", import.meta.url).href)

describe("a table on a terminal", () => {
  it.effect("may have any number of rows", () =>
    Effect.gen(function* () {
      let printed = ""
      const write = (text: unknown, _: unknown, done: () => void) => {
        printed += text
        done()
      }
      const stdout = Object.assign(new Writable({ write }), { isTTY: true })
      const rows = Array.from({ length: 200_000 }, (_, nth) => [String(nth), "x"])
      const print = Terminal.table(["NUMBER", "X"])
      yield* Effect.provideService(print(rows), Terminal.Terminal, {
        ...Terminal.current,
        stdout
      })
      const lines = printed.split("\n")
      expect(lines.length).toBe(200_002)
      expect([lines[0], lines[1], lines[200_000]]).toEqual(["NUMBER  X", "0       x", "199999  x"])
    })
  )
})
