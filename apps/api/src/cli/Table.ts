/** Tables: aligned on a terminal, tabs in a pipe. */
import * as Effect from "effect/Effect"
import stringWidth from "string-width"
import { type Colour, colored, Terminal, visible, writeStyled } from "./Terminal.ts"

type Row = ReadonlyArray<string>

/** Aligns the columns of any rows, as wide as a terminal needs for these. */
export const aligner = (rows: ReadonlyArray<Row>) => {
  const widths: Array<number> = []
  for (const row of rows) {
    for (const [at, cell] of row.entries())
      widths[at] = Math.max(widths[at] ?? 0, stringWidth(cell))
  }
  const padded = (cell: string, at: number) =>
    cell + " ".repeat(Math.max(0, (widths[at] ?? 0) - stringWidth(cell)))
  return (rows: ReadonlyArray<Row>) => rows.map((row) => row.map(padded).join("  ").trimEnd())
}

/**
 * Prints the rows of a table; may be called repeatedly. On a terminal its columns are as wide as the first
 * rows need, names are cut, and cells with these texts have these colours; in a pipe it has one line per row,
 * cells separated by tabs, and no titles.
 */
export const table = (titles: Row, colours: Readonly<Record<string, Colour>> = {}) => {
  let align: ReturnType<typeof aligner> | undefined
  const nameAt = titles.indexOf("NAME")
  return (rows: ReadonlyArray<Row>) =>
    Effect.flatMap(Terminal, ({ stdout }) => {
      const shown = rows.map((row) => row.map(visible))
      if (!stdout.isTTY) return printLines(shown.map((row) => row.join("\t")))
      const hasColours = stdout.hasColors?.() === true
      const styled = (cell: string, at: number) => {
        const colour = hasColours ? colours[cell] : undefined
        return colour === undefined ? (at === nameAt ? cut(cell) : cell) : colored(cell, colour)
      }
      const cells = shown.map((row) => row.map(styled))
      const all = align === undefined ? [titles, ...cells] : cells
      align ??= aligner(all)
      return printLines(align(all))
    })
}

const printLines = (lines: ReadonlyArray<string>) =>
  lines.length === 0 ? Effect.void : writeStyled(`${lines.join("\n")}\n`)

/** Callers choose names, of any length. */
const maxNameWidth = 40
const segmenter = new Intl.Segmenter()

const cut = (name: string): string => {
  if (stringWidth(name) <= maxNameWidth) return name
  let kept = ""
  for (const { segment } of segmenter.segment(name)) {
    if (stringWidth(kept + segment) >= maxNameWidth) break
    kept += segment
  }
  return `${kept}…`
}
