/** Parses JSON with exact integers. */
import * as Data from "effect/Data"
import * as Either from "effect/Either"

/** The text is not JSON. The message does not quote it. */
export class MalformedJson extends Data.TaggedError("MalformedJson")<{
  readonly message: string
}> {}

/**
 * As `JSON.parse`, but an integer of up to 19 digits that a `number` does not have exactly is a `bigint`. `Int64` accepts
 * both; `Schema.Number` refuses a `bigint`, since its number would not be exact.
 */
export const parse = (text: string): Either.Either<unknown, MalformedJson> =>
  Either.try({
    // A reviver takes thirty times as long.
    try: () => (long.test(text) ? JSON.parse(text, exact) : JSON.parse(text)),
    catch: (error) => new MalformedJson({ message: reasonOf(error, text) })
  })

/** Whether there may be a number that a double changes. */
const long = /[0-9.]{16}|[0-9][eE]/

/** Refused by every schema of a number. */
const notExact = Symbol("a number whose fraction a double loses")

/** A number as a schema may read it: exact, a `bigint`, or what is no number. */
const exact = (
  _: string,
  value: unknown,
  { source = "" }: { readonly source?: string } = {}
): unknown => {
  if (typeof value !== "number" || !long.test(source)) return value
  // An infinite one is accepted by `Schema.Number`, but is not a number of JSON.
  if (!Number.isFinite(value)) return BigInt(Math.sign(value)) * 10n ** 19n
  if (!Number.isInteger(value)) return value
  // So few digits are exact, but for those of a number that is too small.
  if (source.length < 16 && value !== 0 && Number.isSafeInteger(value)) return value
  const [mantissa = "", exponent = ""] = source.split(/e/i)
  const [whole = "", fraction = ""] = mantissa.split(".")
  const digits = whole + fraction
  const point = Math.max(0, whole.length + Number(exponent))
  if (/[1-9]/.test(digits.slice(point))) return notExact
  if (Number.isSafeInteger(value) || Math.abs(value) > 1e19) return value
  return BigInt(digits.slice(0, point).padEnd(point, "0"))
}

/** Why a text is not JSON. Only the message of V8 tells, which gives a position or quotes the text, never both. */
const reasonOf = (error: unknown, { length }: string): string => {
  if (error instanceof RangeError) return "it is nested too deeply"
  const found = /^[^"]*(?:end of JSON|at position ([0-9]+))/.exec(String(error))
  if (found === null) return "a value is missing or invalid"
  const [, position = length] = found
  return Number(position) < length
    ? `unexpected text at character ${Number(position) + 1}`
    : "it ends too early"
}
