/** What the server logs, kept for a test to read. */
import { Cause, HashMap, Layer, Logger, LogLevel } from "effect"

/** One line of the log. */
export interface Line {
  readonly level: string
  readonly message: string
  readonly cause: string
  readonly annotations: Readonly<Record<string, unknown>>
}

/** A logger that keeps every line, of every level. */
export const make = () => {
  const lines: Array<Line> = []
  const logger = Logger.make<unknown, void>(({ annotations, cause, logLevel, message }) => {
    lines.push({
      level: logLevel.label,
      message: [message].flat().map(String).join(" "),
      cause: Cause.pretty(cause, { renderErrorCause: true }),
      annotations: Object.fromEntries(HashMap.toEntries(annotations))
    })
  })
  const layer = Layer.merge(
    Logger.replace(Logger.defaultLogger, logger),
    Logger.minimumLogLevel(LogLevel.All)
  )
  return { layer, lines }
}
