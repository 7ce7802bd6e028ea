/** The service's log: one line per event on standard output, as JSON or for people. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import {
  type Colour,
  colored,
  count,
  printError,
  shownOn,
  Terminal,
  visible
} from "../cli/Terminal.ts"
import { type AppConfig, logFormat } from "../settings/AppConfig.ts"
import * as LogOutput from "./LogOutput.ts"
import * as Mask from "./Mask.ts"

export interface Event {
  readonly timestamp: Date
  /** In lower case. */
  readonly level: string
  readonly message: string
  /** Absent values are left out. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** The format, by default one that suits the output; keys that no line may hold, besides issued ones. */
export type Options = Pick<AppConfig, "logFormat" | "apiKeys" | "logLevel">

type Format = NonNullable<Options["logFormat"]>

export class Log extends Context.Tag("@petstore/api/Log")<
  Log,
  {
    readonly write: (event: Event) => void
    /** Removes secrets, as from every line. */
    readonly mask: Mask.Mask
  }
>() {}

/** The log on standard output, which Effect's own log goes to. */
export const layer = (options: Options) =>
  Layer.merge(effectLogger, Logger.minimumLogLevel(options.logLevel)).pipe(
    Layer.provideMerge(Layer.effect(Log, make(options)))
  )

/** The lines of one turn of the event loop are written together. */
const make = ({ apiKeys, logFormat }: Options) =>
  Effect.map(Terminal, (terminal) => {
    const format = logFormat ?? defaultFormat(terminal.stdout)
    const mask = Mask.make(apiKeys)
    const hasColours = format === "pretty" && terminal.stdout.hasColors?.() === true
    let lines = ""
    const render = (event: Event) => {
      const shown = shownOn(terminal.stdout, mask(formats[format](event)))
      return `${hasColours ? withColours(shown, event) : shown}\n`
    }
    const output = LogOutput.make(terminal.stdout, (dropped) =>
      render({
        timestamp: new Date(),
        level: "warn",
        message: `${count(dropped, "line")} dropped: the log was not read`,
        fields: { dropped }
      })
    )
    const flush = () => {
      if (lines === "") return
      output(lines)
      lines = ""
    }
    terminal.once("exit", flush)
    const write = (event: Event) => {
      if (lines === "") setImmediate(flush)
      lines += render(event)
    }
    return Log.of({ write, mask })
  })

/** Writes to standard error why a server ends, a line for each line; as text where a log would be for people. */
export const fatal = (message: string) =>
  Effect.gen(function* () {
    const { stderr, stdout } = yield* Terminal
    const format = yield* Effect.orElseSucceed(logFormat, () => undefined)
    if ((format ?? defaultFormat(stdout)) === "pretty") return yield* printError(message)
    for (const line of message.split("\n")) {
      const event = { timestamp: new Date(), level: "fatal", message: line, fields: {} }
      stderr.write(`${formats[format ?? "json"](event)}\n`)
    }
  })

const defaultFormat = ({ isTTY }: Terminal["Type"]["stdout"]): Format => (isTTY ? "pretty" : "json")

const effectLogger = Logger.replaceEffect(
  Logger.defaultLogger,
  Effect.map(Log, ({ write }) =>
    Logger.make<unknown, void>(({ annotations, cause, date, logLevel, message }) =>
      write({
        timestamp: date,
        level: logLevel.label.toLowerCase(),
        message: [message].flat().map(textOf).join(" "),
        fields: {
          ...Object.fromEntries(HashMap.toEntries(annotations)),
          cause: Cause.isEmpty(cause) ? undefined : Cause.pretty(cause, { renderErrorCause: true })
        }
      })
    )
  )
)

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value)

/** The colours of levels on a terminal. */
const colours: Readonly<Record<string, Colour>> = {
  fatal: "red",
  error: "red",
  warn: "yellow",
  info: "green"
}

/** The colours of the statuses of requests, by their class. */
const statusColours: Readonly<Record<string, Colour>> = { 2: "green", 4: "yellow", 5: "red" }

const withColours = (shown: string, { fields, level }: Event): string => {
  const upper = level.toUpperCase()
  const status = String(fields["status"])
  return shown
    .replace(upper, colored(upper, colours[level] ?? "gray"))
    .replace(` ${status} `, ` ${colored(status, statusColours[status.charAt(0)] ?? "gray")} `)
}

const formats: Readonly<Record<Format, (event: Event) => string>> = {
  json: ({ fields, level, message, timestamp }) =>
    JSON.stringify({ timestamp: timestamp.toISOString(), level, message, ...fields }),
  // The message of a request says its method and status.
  pretty: ({ fields, level, message, timestamp }) => {
    const { cause, method: _method, path, status: _status, ...others } = fields
    const time = timestamp.toISOString().slice(11, 23)
    const beginning = path === undefined ? message : `${message} ${path}`
    const rest = pairs(others)
    const line = `${time} ${level.toUpperCase().padEnd(5)} ${visible(beginning)}${rest && `  ${rest}`}`
    return cause === undefined ? line : `${line}\n${String(cause).replaceAll(/^/gm, "  ")}`
  }
}

const pairs = (fields: Readonly<Record<string, unknown>>): string =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) =>
      Predicate.isRecord(value)
        ? pairs(Record.mapKeys(value, (key) => `${name}.${key}`))
        : `${name}=${quoted(textOf(value))}`
    )
    .join(" ")

const quoted = (text: string): string =>
  /^[\x21\x23-\x3c\x3e-\x7e]+$/.test(text) ? text : visible(JSON.stringify(text))
