/** Spans of time as people write them on a command line. */
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import type { Parse } from "../Parse.ts"

const units: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000
}
const longest = 100 * 366 * 86_400_000

/** The same, but not nothing. */
export const parseSome: Parse<Duration.Duration> = (text) =>
  Either.filterOrLeft(
    parse(text),
    (span) => Duration.toMillis(span) > 0,
    () => "must be more than nothing"
  )

/** Reads `30s`, `15m`, `12h`, `90d` or `2w`, up to a hundred years. */
export const parse: Parse<Duration.Duration> = (text) => {
  const [, count = "", unit = ""] = /^([0-9]{1,10})([smhdw])$/.exec(text) ?? []
  const millis = Number(count) * (units[unit] ?? Number.NaN)
  return count !== "" && millis <= longest
    ? Either.right(Duration.millis(millis))
    : Either.left("must be a number and s, m, h, d or w, such as 90d, up to a hundred years")
}
