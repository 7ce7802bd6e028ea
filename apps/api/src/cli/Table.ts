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

/** Aligns the columns of any rows, as wide as a terminal needs for these. */
export const aligner = (rows: ReadonlyArray<Row>, widthOf: Width = plainWidth) => {
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
 * rows need, names are cut, and cells with these texts have these colours; in a pipe it has one line per row,
 * cells separated by tabs, and no titles.
 */
export const table = (titles: Row, colours: Readonly<Record<string, Colour>> = {}) => {
  let align: ReturnType<typeof aligner> | undefined
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
        return colour === undefined
          ? at === nameAt
            ? cut(cell, widthOf)
            : cell
          : colored(cell, colour)
      }
      const cells = shown.map((row) => row.map(styled))
      const all = align === undefined ? [titles, ...cells] : cells
      align ??= aligner(all, (cell) => widthOf(cell))
      return yield* printLines(align(all))
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
