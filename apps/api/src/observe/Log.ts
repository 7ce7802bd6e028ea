/** The service's log: one line per event on standard output, as JSON, logfmt or for people. */
import type { Writable } from "node:stream"
import * as Cause from "effect/Cause"
import * as HashMap from "effect/HashMap"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import type * as Redacted from "effect/Redacted"
import { count, visible } from "../cli/Terminal.ts"
import * as LogOutput from "./LogOutput.ts"
import * as Mask from "./Mask.ts"

/** One event. */
export interface Event {
  readonly timestamp: Date
  /** In lower case. */
  readonly level: string
  readonly message: string
  /** Absent values are left out. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** How lines look. */
export type Format = "pretty" | "json" | "logfmt"

/** Writes an event. */
export type Write = (event: Event) => void

/** The format that is configured, or one that suits the output. */
export const formatOf = ({ logFormat }: { readonly logFormat: Format | undefined }): Format =>
  logFormat ?? (process.stdout.isTTY ? "pretty" : "json")

/** How lines are made, and where they go. */
export interface Options {
  readonly format: Format
  /** Keys that no line may hold, besides issued ones. */
  readonly apiKeys: ReadonlyArray<Redacted.Redacted>
  /** The number of the worker that writes it, if it is one. */
  readonly worker?: number | undefined
  readonly target?: Writable
}

/** A log. */
export interface Log {
  readonly write: Write
  /** Writes lines of another process. */
  readonly forward: LogOutput.WriteLines
  /** Removes secrets, as from every line. */
  readonly mask: Mask.Mask
}

/** A log on standard output. The lines of one turn of the event loop are written together. */
export const make = ({ apiKeys, format, target = process.stdout, worker }: Options): Log => {
  const mask = Mask.make(apiKeys)
  let lines = ""
  const own = worker === undefined ? {} : { worker }
  const render = ({ fields, ...event }: Event) =>
    `${mask(formats[format]({ ...event, fields: { ...fields, ...own } }))}\n`
  const forward = LogOutput.make(target, (dropped) =>
    render({
      timestamp: new Date(),
      level: "warn",
      message: `${count(dropped, "line")} dropped: the log was not read`,
      fields: { dropped }
    })
  )
  const flush = () => {
    const text = lines
    lines = ""
    if (text !== "") forward(text)
  }
  process.once("exit", flush)
  const write = (event: Event) => {
    if (lines === "") setImmediate(flush)
    lines += render(event)
  }
  return { write, forward, mask }
}

/** Effect's own log, of this level and above. */
export const layer = (write: Write, level: LogLevel.LogLevel): Layer.Layer<never> => {
  const logger = Logger.make<unknown, void>(({ annotations, cause, date, logLevel, message }) =>
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
  return Layer.merge(Logger.replace(Logger.defaultLogger, logger), Logger.minimumLogLevel(level))
}

/** Whether events of level `info` are logged. */
export const hasInfo = (level: LogLevel.LogLevel): boolean =>
  LogLevel.lessThanEqual(level, LogLevel.Info)

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value)

const formats: Readonly<Record<Format, (event: Event) => string>> = {
  json: ({ fields, level, message, timestamp }) =>
    JSON.stringify({ timestamp: timestamp.toISOString(), level, message, ...fields }),
  logfmt: ({ fields, level, message, timestamp }) =>
    pairs({ timestamp: timestamp.toISOString(), level, message, ...fields }),
  pretty: ({ fields: { cause, ...fields }, level, message, timestamp }) => {
    const time = timestamp.toISOString().slice(11, 23)
    const rest = pairs(fields)
    const line = `${time} ${level.toUpperCase().padEnd(5)} ${visible(message)}${rest && `  ${rest}`}`
    return cause === undefined ? line : `${line}\n${String(cause).replaceAll(/^/gm, "  ")}`
  }
}

const pairs = (fields: Readonly<Record<string, unknown>>): string =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${quoted(textOf(value))}`)
    .join(" ")

const quoted = (text: string): string =>
  /^[\x21\x23-\x3c\x3e-\x7e]+$/.test(text) ? text : visible(JSON.stringify(text))
