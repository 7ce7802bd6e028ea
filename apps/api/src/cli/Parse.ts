/** Parsers for environment variables and command lines. */
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

/** Parses a text. Fails with what it must be. */
export type Parse<A> = (text: string) => Either.Either<A, string>

/** Parses with a schema; the error is the schema's message. */
export const fromSchema = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknownEither(schema)
  return (input: unknown): Either.Either<A, string> =>
    Either.mapLeft(decode(input), (error) =>
      ParseResult.ArrayFormatter.formatErrorSync(error)
        .map(({ message }) => message)
        .join("; ")
    )
}

export const text: Parse<string> = (value) =>
  value === "" ? Either.left("must not be empty") : Either.right(value)

/** Parses without regard to letter case; the words of the parser are in lower case. */
export const caseless =
  <A>(parse: Parse<A>): Parse<A> =>
  (text) =>
    parse(text.toLowerCase())

export const wholeNumber =
  (from: number, to: number): Parse<number> =>
  (value) =>
    /^[0-9]{1,15}$/.test(value) && Number(value) >= from && Number(value) <= to
      ? Either.right(Number(value))
      : Either.left(`must be a whole number from ${from} to ${to}, not "${value}"`)

export const oneOf =
  <A extends string>(words: ReadonlyArray<A>): Parse<A> =>
  (value) =>
    Either.fromNullable(
      words.find((word) => word === value),
      () => `must be one of ${words.join(", ")}, not "${value}"`
    )

export const yesOrNo: Parse<boolean> = caseless((text) =>
  Either.map(oneOf(["true", "false"])(text), (word) => word === "true")
)

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }
const hundredYears = Duration.days(36_600)

/** A duration such as `30s`, `15m`, `12h`, `90d` or `2w`, up to 100 years. */
export const duration: Parse<Duration.Duration> = (value) => {
  const [, count = "", unit = ""] = /^([0-9]{1,10})([smhdw])$/.exec(value) ?? []
  const duration = Duration.seconds(Number(count) * (units[unit] ?? 0))
  return count !== "" && Duration.lessThanOrEqualTo(duration, hundredYears)
    ? Either.right(duration)
    : Either.left("must be a number with the unit s, m, h, d or w, such as 90d, up to 100 years")
}
