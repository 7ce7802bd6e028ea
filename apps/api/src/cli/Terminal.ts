/** The process that the program runs in, and what commands print: tables on a terminal, tabs in a pipe, or JSON. */
import type { Readable, Writable } from "node:stream"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type CommandFailed, closedPipe, exitCodes, failed } from "../CommandFailed.ts"

/** Whether a stream is a terminal. Node leaves it undefined for pipes and files. */
type OnTerminal = { readonly isTTY?: boolean | undefined }

/** The process, which tests replace. Its environment is the `ConfigProvider`. */
export class Terminal extends Context.Tag("@petstore/api/Terminal")<
  Terminal,
  {
    /** Standard input. */
    readonly stdin: Readable & OnTerminal
    /** Standard output: the results of commands, or the log of a server. */
    readonly stdout: Writable & OnTerminal
    /** Standard error: messages and progress. */
    readonly stderr: Writable & OnTerminal
    /** The exit code of an interruption, if it is set: 0 once the work is done. */
    exitCode?: string | number | null | undefined
    /** Calls the listener at each of these signals, which then does not end the process. */
    readonly on: (signal: "SIGINT" | "SIGTERM", listener: () => void) => unknown
    /** Calls the listener when the process ends, which waits for nothing. */
    readonly once: (event: "exit", listener: () => void) => unknown
    /** Ends the process at once. */
    readonly exit: (code: number) => void
  }
>() {}

/** The process that Node runs. */
export const current: Terminal["Type"] = process

/** Its environment. Names are not split at underscores, as they are by default, so that they can be listed. */
export const environment = ConfigProvider.fromEnv({ pathDelim: ".", seqDelim: "," })

/** From here on, an interruption exits with 0: the work is done. */
export const countAsDone = Effect.map(Terminal, (terminal) => {
  terminal.exitCode = exitCodes.done.code
})

/** Writes a text and waits for it. Fails without a message if the pipe was closed, as by `| head`. */
export const write = (text: string): Effect.Effect<void, CommandFailed, Terminal> =>
  Effect.flatMap(Terminal, ({ stdout }) =>
    Effect.async((resume) => {
      stdout.write(text, (error) => resume(error ? unwritable(error) : Effect.void))
    })
  )

const unwritable = (error: NodeJS.ErrnoException) =>
  error.code === "EPIPE"
    ? closedPipe("", error)
    : failed(`cannot write to standard output (${error.message})`, error)

export const print = (text: string) => write(`${text}\n`)

/** Prints a line to standard error. */
export const printError = (text: string): Effect.Effect<void, never, Terminal> =>
  Effect.map(Terminal, ({ stderr }) => void stderr.write(`${text}\n`))

/** Whether standard output is a terminal. */
export const isInteractive = Effect.map(Terminal, ({ stdout }) => stdout.isTTY === true)

/** A number with its noun, in the plural if needed. */
export const count = (number: number, thing: string): string =>
  `${number} ${thing}${number === 1 ? "" : "s"}`

const maxNamed = 10

/** The first texts, and the number of others. */
export const first = (texts: ReadonlyArray<string>): string => {
  const others = texts.length - maxNamed
  return texts.slice(0, maxNamed).join(", ") + (others > 0 ? ` and ${others} more` : "")
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
  let align: ReturnType<typeof aligner> | undefined
  return (rows: Rows) =>
    Effect.flatMap(isInteractive, (isInteractive) => {
      const shown = rows.map((row) => row.map(visible))
      const all = isInteractive && align === undefined ? [titles, ...shown] : shown
      align ??= isInteractive ? aligner(all) : (rows) => rows.map((row) => row.join("\t"))
      return all.length === 0 ? Effect.void : print(align(all).join("\n"))
    })
}

/** Prints JSON, indented on a terminal. */
export const printJson = (value: unknown) =>
  Effect.flatMap(isInteractive, (isInteractive) =>
    print(JSON.stringify(value, undefined, isInteractive ? 2 : undefined))
  )

/** Escapes control characters: names may hold anything, including terminal commands. */
export const visible = (text: string): string =>
  text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`
  )
