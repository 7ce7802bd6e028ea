/** Tables: aligned on a terminal, tabs in a pipe. */
import * as Effect from "effect/Effect"
import { type Colour, colored, Terminal, visible, writeStyled } from "./Terminal.ts"

type Row = ReadonlyArray<string>

/** Aligns rows in columns that are as wide as these rows need. The width of a text is how many columns of a terminal it takes. */
export const aligned = (
  rows: ReadonlyArray<Row>,
  widthOf: (text: string) => number = ({ length }) => length
) => {
  const widths: Array<number> = []
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, widthOf(cell))
  }
  const padded = (cell: string, at: number) =>
    cell + " ".repeat(Math.max(0, (widths[at] ?? 0) - widthOf(cell)))
  return (rows: ReadonlyArray<Row>) => rows.map((row) => row.map(padded).join("  ").trimEnd())
}

/**
 * Prints the rows of a table; may be called repeatedly. On a terminal its columns are as wide as the first
 * rows need, names are cut, and cells with these texts have these colours. In a pipe it has one line per row, cells separated by tabs, and no titles.
 */
export const table = (titles: Row, colours: Readonly<Record<string, Colour>> = {}) => {
  let linesOf: ReturnType<typeof aligned> | undefined
  const nameAt = titles.indexOf("NAME")
  return (rows: ReadonlyArray<Row>) =>
    Effect.gen(function* () {
      const { stdout } = yield* Terminal
      const shown = rows.map((row) => row.map(visible))
      if (!stdout.isTTY) return yield* printLines(shown.map((row) => row.join("\t")))
      // Only a table on a terminal needs it, and it takes a fifth of a start to load.
      const { default: widthOf } = yield* Effect.promise(() => import("string-width"))
      const hasColours = stdout.hasColors?.() === true
      const styled = (cell: string, at: number) => {
        const colour = hasColours ? colours[cell] : undefined
        if (colour !== undefined) return colored(cell, colour)
        return at === nameAt ? cut(cell) : cell
      }
      const cells = shown.map((row) => row.map(styled))
      const all = linesOf === undefined ? [titles, ...cells] : cells
      linesOf ??= aligned(all, widthOf)
      return yield* printLines(linesOf(all))
    })
}

const printLines = (lines: ReadonlyArray<string>) =>
  lines.length === 0 ? Effect.void : writeStyled(`${lines.join("\n")}\n`)

/** Callers choose names, of any length. */
const maxNameLength = 40

const cut = (name: string): string =>
  name.length <= maxNameLength
    ? name
    : `${Array.from(name)
        .slice(0, maxNameLength - 1)
        .join("")}…`
