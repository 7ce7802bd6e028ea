/** The process that the program runs in, and what commands print. */
import type { Readable, Writable } from "node:stream"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type CommandFailed, closedPipe, exitCodes, failed } from "./CommandFailed.ts"

/** What only terminals have. Node leaves it undefined for pipes and files. */
interface OnTerminal {
  readonly isTTY?: boolean | undefined
  /** How wide it is. */
  readonly columns?: number | undefined
  /** Whether it shows colours, by `NO_COLOR` and `TERM`. */
  readonly hasColors?: () => boolean
}

/** The process, which tests replace. Its environment is the `ConfigProvider`. */
export class Terminal extends Context.Tag("@petstore/api/Terminal")<
  Terminal,
  {
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
    readonly exit: (code: number) => void
  }
>() {}

export const current: Terminal["Type"] & Pick<NodeJS.Process, "env"> = process

/** Its environment. Names are not split at underscores, as they are by default, so that they can be listed. */
export const environment = ConfigProvider.fromEnv({ pathDelim: ".", seqDelim: "," })

/** Sets a variable of it, also for libraries that read some, such as `PGPASSWORD`. */
export const setVariable = (name: string, value: string): void => {
  current.env[name] = value
}

/** From here on, an interruption exits with 0: the work is done. */
export const countAsDone = Effect.map(Terminal, (terminal) => {
  terminal.exitCode = exitCodes.done.code
})

/** Writes a text and waits for it. Fails without a message if the pipe was closed, as by `| head`. */
export const write = (text: string): Effect.Effect<void, CommandFailed, Terminal> =>
  Effect.flatMap(Terminal, ({ stdout }) => writeStyled(shownOn(stdout, text)))

/** As `write`, for a text with colours whose other parts are `visible`. */
export const writeStyled = (text: string): Effect.Effect<void, CommandFailed, Terminal> =>
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

export const printError = (text: string): Effect.Effect<void, never, Terminal> =>
  Effect.map(Terminal, ({ stderr }) => void stderr.write(`${shownOn(stderr, text)}\n`))

export const isInteractive = Effect.map(Terminal, ({ stdout }) => stdout.isTTY === true)

/** A number with its noun, in the plural if needed. */
export const count = (number: number, thing: string): string =>
  `${number} ${thing}${number === 1 ? "" : "s"}`

const colours = { red: 31, green: 32, yellow: 33, gray: 90 }
export type Colour = keyof typeof colours

export const colored = (text: string, colour: Colour): string =>
  `\u001b[${colours[colour]}m${text}\u001b[39m`

const maxNamed = 10

/** The first texts, and the number of others. */
export const first = (texts: ReadonlyArray<string>): string => {
  const others = texts.length - maxNamed
  return texts.slice(0, maxNamed).join(", ") + (others > 0 ? ` and ${others} more` : "")
}

/** Prints JSON, indented on a terminal. */
export const printJson = (value: unknown) =>
  Effect.flatMap(isInteractive, (isInteractive) =>
    print(JSON.stringify(value, undefined, isInteractive ? 2 : undefined))
  )

/** Escapes control characters, as JSON does: names may hold anything, including terminal commands. */
export const visible = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped)

/** What a stream gets: pipes and files all of a text, a terminal no control characters but for tabs and line ends. */
export const shownOn = ({ isTTY }: OnTerminal, text: string): string =>
  isTTY ? text.replaceAll(/(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped) : text

const escaped = (character: string): string =>
  character.replaceAll(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
