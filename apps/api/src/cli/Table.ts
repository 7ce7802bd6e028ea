/** Tables: aligned on a terminal, tabs in a pipe. */
import { stripVTControlCharacters } from "node:util"
import * as Effect from "effect/Effect"
import { type Colour, colored, Terminal, visible, writeStyled } from "./Terminal.ts"

type Row = ReadonlyArray<string>

/** How many columns of a terminal a text takes. */
type Width = (text: string) => number

/** That of ASCII, which may have colours. */
const plainWidth: Width = (text) => stripVTControlCharacters(text).length

/** That of these rows. The module for all other characters takes a fifth of a start to load. */
const widthFor = (rows: ReadonlyArray<Row>): Effect.Effect<Width> =>
  rows.every((row) => row.every((cell) => /^[ -~]*$/.test(cell)))
    ? Effect.succeed(plainWidth)
    : Effect.map(
        Effect.promise(() => import("string-width")),
        (module) => module.default
      )

/** In less than this, texts would be broken into too many lines. */
const minRoom = 20
const gap = "  "

/**
 * Lays out rows for a terminal with this many columns: their cells aligned, as wide as these rows need, and the last one
 * broken into lines. If it does not fit beside the others, it is below them.
 */
export const layout = (
  rows: ReadonlyArray<Row>,
  columns = Number.POSITIVE_INFINITY,
  widthOf: Width = plainWidth
) => {
  const widths: Array<number> = []
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, widthOf(cell))
  }
  const lastWidth = widths.pop() ?? 0
  const beside = widths.reduce((sum, width) => sum + width + gap.length, 0)
  const room = columns - beside
  const hasRoom = (row: Row) =>
    broken(row.at(-1) ?? "", room, widthOf).every((line) => widthOf(line) <= room)
  const fits = beside === 0 || (room >= Math.min(lastWidth, minRoom) && rows.every(hasRoom))
  const indent = " ".repeat(fits ? beside : gap.length)
  const padded = (cell: string, at: number) =>
    cell + " ".repeat(Math.max(0, (widths[at] ?? 0) - widthOf(cell))) + gap
  const linesOf = (row: Row) => {
    const start = row.slice(0, -1).map(padded).join("")
    const [first = "", ...others] = broken(row.at(-1) ?? "", columns - indent.length, widthOf)
    const lines = fits ? [start + first] : [start, indent + first]
    return [...lines, ...others.map((line) => indent + line)].map((line) => line.trimEnd())
  }
  return { lines: (rows: ReadonlyArray<Row>) => rows.flatMap(linesOf) }
}

/** Breaks a text at spaces. A longer word has a line of its own. */
const broken = (text: string, width: number, widthOf: Width): ReadonlyArray<string> => {
  if (widthOf(text) <= width) return [text]
  const lines: Array<string> = []
  for (const word of text.split(" ")) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`
    if (lines.length === 0 || widthOf(longer) > width) lines.push(word)
    else lines[lines.length - 1] = longer
  }
  return lines
}

/**
 * Prints the rows of a table; may be called repeatedly. On a terminal its columns are as wide as the first
 * rows need, names are cut, and cells with these texts have these colours. In a pipe it has one line per row, cells separated by tabs, and no titles.
 */
export const table = (titles: Row, colours: Readonly<Record<string, Colour>> = {}) => {
  let used: ReturnType<typeof layout> | undefined
  let widthOf = plainWidth
  const nameAt = titles.indexOf("NAME")
  return (rows: ReadonlyArray<Row>) =>
    Effect.gen(function* () {
      const { stdout } = yield* Terminal
      const shown = rows.map((row) => row.map(visible))
      if (!stdout.isTTY) return yield* printLines(shown.map((row) => row.join("\t")))
      widthOf = yield* widthFor(shown)
      const hasColours = stdout.hasColors?.() === true
      const styled = (cell: string, at: number) => {
        const colour = hasColours ? colours[cell] : undefined
        if (colour !== undefined) return colored(cell, colour)
        return at === nameAt ? cut(cell, widthOf) : cell
      }
      const cells = shown.map((row) => row.map(styled))
      const all = used === undefined ? [titles, ...cells] : cells
      used ??= layout(all, stdout.columns, (cell) => widthOf(cell))
      return yield* printLines(used.lines(all))
    })
}

const printLines = (lines: ReadonlyArray<string>) =>
  lines.length === 0 ? Effect.void : writeStyled(`${lines.join("\n")}\n`)

/** Callers choose names, of any length. */
const maxNameWidth = 40

const cut = (name: string, widthOf: Width): string => {
  if (widthOf(name) <= maxNameWidth) return name
  let kept = ""
  for (const { segment } of new Intl.Segmenter().segment(name)) {
    if (widthOf(kept + segment) >= maxNameWidth) break
    kept += segment
  }
  return `${kept}…`
}
