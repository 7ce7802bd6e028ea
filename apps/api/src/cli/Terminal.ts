/** Output: tables on a terminal, lines with tabs in a pipe, or JSON. */
import * as Effect from "effect/Effect"
import { CommandFailed, failed } from "../CommandFailed.ts"

/** Writes a text and waits for it. Fails without a message if the pipe was closed, as by `| head`. */
export const write = (text: string): Effect.Effect<void, CommandFailed> =>
  Effect.async((resume) => {
    process.stdout.write(text, (error) => {
      if (!error) return resume(Effect.void)
      resume(
        "code" in error && error.code === "EPIPE"
          ? new CommandFailed({ message: "", reason: "closedPipe", cause: error })
          : failed(`cannot write to standard output (${error.message})`, error)
      )
    })
  })

/** Prints a text and a line break. */
export const print = (text: string): Effect.Effect<void, CommandFailed> => write(`${text}\n`)

/** Whether standard output is a terminal. */
export const isTerminal: Effect.Effect<boolean> = Effect.sync(() => process.stdout.isTTY === true)

/** A number with its noun, in the plural if needed. */
export const count = (number: number, thing: string): string =>
  `${number} ${thing}${number === 1 ? "" : "s"}`

type Rows = ReadonlyArray<ReadonlyArray<string>>

/**
 * Prints the rows of a table; may be called repeatedly. On a terminal its columns are as wide as the first
 * rows need; in a pipe it has one line per row, cells separated by tabs, and no titles.
 */
export const table = (
  titles: ReadonlyArray<string>
): Effect.Effect<(rows: Rows) => Effect.Effect<void, CommandFailed>> =>
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

/** Prints a whole table. */
export const printTable = (
  titles: ReadonlyArray<string>,
  rows: Rows
): Effect.Effect<void, CommandFailed> => Effect.flatMap(table(titles), (print) => print(rows))

/** Prints JSON, indented on a terminal. */
export const printJson = (value: unknown): Effect.Effect<void, CommandFailed> =>
  Effect.flatMap(isTerminal, (isTerminal) =>
    print(JSON.stringify(value, undefined, isTerminal ? 2 : undefined))
  )

/** Escapes control characters: names may hold anything, including terminal commands. */
export const visible = (text: string): string =>
  text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`
  )
