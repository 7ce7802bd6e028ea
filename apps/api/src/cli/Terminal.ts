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

/** Aligns the columns of any rows, as wide as these rows need. */
export const aligner = (rows: Rows) => {
  const widths: Array<number> = []
  for (const row of rows) {
    for (const [at, { length }] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, length)
  }
  const line = (row: ReadonlyArray<string>) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0))
  return (rows: Rows) => rows.map((row) => line(row).join("  ").trimEnd())
}

/**
 * Prints the rows of a table; may be called repeatedly. On a terminal its columns are as wide as the first
 * rows need; in a pipe it has one line per row, cells separated by tabs, and no titles.
 */
export const table = (
  titles: ReadonlyArray<string>
): Effect.Effect<(rows: Rows) => Effect.Effect<void, CommandFailed>> =>
  Effect.map(isTerminal, (isTerminal) => {
    let align = (rows: Rows) => rows.map((row) => row.join("\t"))
    let isFirst = isTerminal
    return (rows) => {
      const shown = rows.map((row) => row.map(visible))
      if (isFirst) align = aligner([titles, ...shown])
      const lines = align(isFirst ? [titles, ...shown] : shown)
      isFirst = false
      return lines.length === 0 ? Effect.void : print(lines.join("\n"))
    }
  })

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
