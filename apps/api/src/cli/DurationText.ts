/** Durations such as `90d` on a command line. */
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

/** A duration above zero. */
export const parsePositive: Parse<Duration.Duration> = (text) =>
  Either.filterOrLeft(
    parse(text),
    (duration) => Duration.toMillis(duration) > 0,
    () => "must be longer than 0"
  )

/** Parses `30s`, `15m`, `12h`, `90d` or `2w`, up to 100 years. */
export const parse: Parse<Duration.Duration> = (text) => {
  const [, count = "", unit = ""] = /^([0-9]{1,10})([smhdw])$/.exec(text) ?? []
  const millis = Number(count) * (units[unit] ?? Number.NaN)
  return count !== "" && millis <= longest
    ? Either.right(Duration.millis(millis))
    : Either.left("must be a number with the unit s, m, h, d or w, such as 90d, up to 100 years")
}
