/** What is printed: tables for people at a terminal, plain lines or JSON for programs. */
import * as Effect from "effect/Effect"
import type { CommandFailed } from "../CommandFailed.ts"
import { write } from "../StandardOutput.ts"

/** Prints a line, or several. */
export const print = (text: string): Effect.Effect<void, CommandFailed> => write(`${text}\n`)

/** Whether people read what is printed. */
export const isTerminal: Effect.Effect<boolean> = Effect.sync(() => process.stdout.isTTY === true)

/** So many things, in words. */
export const count = (number: number, thing: string): string =>
  `${number} ${thing}${number === 1 ? "" : "s"}`

/** Prints rows of cells, as many at a time as there are. */
export type PrintRows = (
  rows: ReadonlyArray<ReadonlyArray<string>>
) => Effect.Effect<void, CommandFailed>

/**
 * A table for a terminal, its columns as wide as the first rows need; in a pipe a line for each row,
 * its cells apart by tabs, and no titles.
 */
export const table = (titles: ReadonlyArray<string>): Effect.Effect<PrintRows> =>
  Effect.map(isTerminal, (isTerminal) => {
    let widths: ReadonlyArray<number> | undefined
    const aligned = (row: ReadonlyArray<string>) =>
      row
        .map((cell, column) => cell.padEnd(widths?.[column] ?? 0))
        .join("  ")
        .trimEnd()
    return (rows) => {
      const shown = rows.map((row) => row.map(visible))
      if (!isTerminal) return printLines(shown.map((row) => row.join("\t")))
      if (widths !== undefined) return printLines(shown.map(aligned))
      widths = titles.map((title, column) =>
        shown.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), title.length)
      )
      return printLines([titles, ...shown].map(aligned))
    }
  })

const printLines = (lines: ReadonlyArray<string>): Effect.Effect<void, CommandFailed> =>
  lines.length === 0 ? Effect.void : print(lines.join("\n"))

/** JSON, in one line for programs and laid out for people. */
export const printJson = (value: unknown): Effect.Effect<void, CommandFailed> =>
  Effect.flatMap(isTerminal, (isTerminal) =>
    print(JSON.stringify(value, undefined, isTerminal ? 2 : undefined))
  )

/** A JSON array, as many elements at a time as there are, each in a line of its own. */
export const jsonArray = <A>(
  encode: (value: A) => string
): Effect.Effect<
  (values: ReadonlyArray<A>, isLast: boolean) => Effect.Effect<void, CommandFailed>
> =>
  Effect.sync(() => {
    let start = "["
    return (values, isLast) =>
      Effect.suspend(() => {
        const lines = values.map((value) => {
          const line = start + encode(value)
          start = ",\n "
          return line
        })
        const text = lines.join("") + (isLast ? (start === "[" ? "[]\n" : "]\n") : "")
        return write(text)
      })
  })

/** Names may hold anything, and a terminal or a script must not be led astray by it. */
export const visible = (text: string): string =>
  text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`
  )
