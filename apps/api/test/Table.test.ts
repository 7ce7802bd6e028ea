import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { table } from "../src/cli/Table.ts"
import { Terminal } from "../src/cli/Terminal.ts"
import { live } from "./support/Folder.ts"
import { FakeProcess } from "./support/Program.ts"

type Rows = ReadonlyArray<ReadonlyArray<string>>

/** What a table prints to a terminal, or to a pipe. */
const printed = (print: ReturnType<typeof table>, rows: Rows, isTTY: boolean, colours = false) =>
  Effect.gen(function* () {
    let text = ""
    const onOutput = (_: string, piece: string) => {
      text += piece
    }
    const terminal = new FakeProcess({ isTerminal: isTTY }, onOutput, () => {})
    Object.assign(terminal.stdout, { hasColors: () => colours })
    yield* Effect.provideService(print(rows), Terminal, terminal)
    return text.split("\n")
  })

describe("a table on a terminal", () => {
  live("is aligned for characters of two columns and of none", function* () {
    const rows = ["ミケ", "🐈", "e\u0301", "Rex"].map((name) => [name, "x"])
    expect(yield* printed(table(["NAME", "X"]), rows, true)).toEqual([
      "NAME  X",
      "ミケ  x",
      "🐈    x",
      "e\u0301     x",
      "Rex   x",
      ""
    ])
  })

  live("cuts long names, and nothing in a pipe", function* () {
    const rows = ["x".repeat(40), "x".repeat(41), "猫".repeat(41)].map((name) => [name, name])
    const seen = yield* printed(table(["NAME", "TEXT"]), rows, true)
    expect(seen.map((line) => line.split(/ +/)[0])).toEqual([
      "NAME",
      "x".repeat(40),
      `${"x".repeat(39)}…`,
      `${"猫".repeat(39)}…`,
      ""
    ])
    expect(seen[2]?.endsWith(` ${"x".repeat(41)}`)).toBe(true)
    const piped = yield* printed(table(["NAME", "TEXT"]), rows, false)
    expect(piped).toEqual([...rows.map((row) => row.join("\t")), ""])
  })

  live("has colours if the terminal has, and never in a pipe", function* () {
    const print = () => table(["A", "B"], { bad: "red" })
    const rows = [
      ["bad", "good"],
      ["x", "\u001b[32mnot bad"]
    ]
    expect(yield* printed(print(), rows, true, true)).toEqual([
      "A    B",
      "\u001b[31mbad\u001b[39m  good",
      "x    \\u001b[32mnot bad",
      ""
    ])
    expect((yield* printed(print(), rows, true))[1]).toBe("bad  good")
    expect((yield* printed(print(), rows, false, true))[0]).toBe("bad\tgood")
  })

  live("aligns later rows as the first ones, whatever their width and characters", function* () {
    const print = table(["NAME", "X"])
    expect((yield* printed(print, [["Rex", "1"]], true))[1]).toBe("Rex   1")
    const later = ["ミケ", "Alexander"].map((name) => [name, "2"])
    expect(yield* printed(print, later, true)).toEqual(["ミケ  2", "Alexander  2", ""])
  })
})
