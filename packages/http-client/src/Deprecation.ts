/** Operations that the service will remove. */
import type { Options } from "./Options.ts"

/** That an operation will be removed, as the service announces it (RFC 9745, RFC 8594). */
export interface Deprecation {
  readonly operation: string
  readonly since: Date | undefined
  readonly sunset: Date | undefined
}

/** An `onResponse` that reports each operation once that the service will remove. */
export const reportDeprecations = (
  report: (deprecation: Deprecation) => void
): NonNullable<Options["onResponse"]> => {
  const reported = new Set<string>()
  return ({ headers }, { operation }) => {
    const [, seconds] = /^@(\d+)$/.exec(headers.get("deprecation") ?? "") ?? []
    const since = dateOf(Number(seconds) * 1000)
    const sunset = dateOf(Date.parse(headers.get("sunset") ?? ""))
    if (!(since ?? sunset) || reported.has(operation)) return
    reported.add(operation)
    report({ operation, since, sunset })
  }
}

/** The date, unless it is none or later than dates can be. */
const dateOf = (millis: number): Date | undefined =>
  millis <= 8.64e15 ? new Date(millis) : undefined
