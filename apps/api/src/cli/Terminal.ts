/** Output: tables on a terminal, lines with tabs in a pipe, or JSON. */
import * as Effect from "effect/Effect"
import { type CommandFailed, closedPipe, failed } from "../CommandFailed.ts"

/** Writes a text and waits for it. Fails without a message if the pipe was closed, as by `| head`. */
export const write = (text: string): Effect.Effect<void, CommandFailed> =>
  Effect.async((resume) => {
    process.stdout.write(text, (error) => {
      if (!error) return resume(Effect.void)
      resume(
        "code" in error && error.code === "EPIPE"
          ? closedPipe("", error)
          : failed(`cannot write to standard output (${error.message})`, error)
      )
    })
  })

export const print = (text: string) => write(`${text}\n`)

/** A number with its noun, in the plural if needed. */
export const count = (number: number, thing: string): string =>
  `${number} ${thing}${number === 1 ? "" : "s"}`

const mostNamed = 10

/** The first texts, and the number of others. */
export const first = (texts: ReadonlyArray<string>): string => {
  const others = texts.length - mostNamed
  return texts.slice(0, mostNamed).join(", ") + (others > 0 ? ` and ${others} more` : "")
}

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
export const table = (titles: ReadonlyArray<string>) => {
  let align = (rows: Rows) => rows.map((row) => row.join("\t"))
  let isFirst = process.stdout.isTTY
  return (rows: Rows) => {
    const shown = rows.map((row) => row.map(visible))
    if (isFirst) align = aligner([titles, ...shown])
    const lines = align(isFirst ? [titles, ...shown] : shown)
    isFirst = false
    return lines.length === 0 ? Effect.void : print(lines.join("\n"))
  }
}

/** Prints JSON, indented on a terminal. */
export const printJson = (value: unknown) =>
  print(JSON.stringify(value, undefined, process.stdout.isTTY ? 2 : undefined))

/** Escapes control characters: names may hold anything, including terminal commands. */
export const visible = (text: string): string =>
  text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`
  )
