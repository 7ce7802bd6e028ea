/** The service's log: one line per event on standard output, as JSON, logfmt or for people. */
import * as Cause from "effect/Cause"
import * as HashMap from "effect/HashMap"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { visible } from "../cli/Terminal.ts"

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

/**
 * Writes lines to standard output: those of one turn of the event loop together. The lines of a worker have its
 * number.
 */
export const make = (format: Format, worker?: number): Write => {
  let lines = ""
  const flush = () => {
    const text = lines
    lines = ""
    if (text !== "") process.stdout.write(text)
  }
  const plain = formats[format]
  const render =
    worker === undefined
      ? plain
      : (event: Event) => plain({ ...event, fields: { ...event.fields, worker } })
  process.once("exit", flush)
  return (event) => {
    if (lines === "") setImmediate(flush)
    lines += `${render(event)}\n`
  }
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
