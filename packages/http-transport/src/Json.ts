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
    try: () => {
      const plain: unknown = JSON.parse(text)
      if (!long.test(text)) return plain
      // A reviver that sees the source of numbers would take thirty times as long.
      const exact = text.replace(tokens, (token) =>
        token.startsWith('"') || !long.test(token) ? token : marked(token)
      )
      return exact === text ? plain : restored(JSON.parse(exact))
    },
    catch: (error) => new MalformedJson({ message: reasonOf(error, text) })
  })

/** Whether there may be a number that a double changes. */
const long = /[0-9.]{16}|[0-9][eE]/

/** Finds every number and every string. */
const tokens = /"(?:[^"\\]|\\.)*(?:"|\\?$)|-?[0-9.]+(?:[eE][-+]?[0-9]+)?/gs

/** Begins the strings that stand for numbers; no caller knows it. */
const mark = crypto.randomUUID()

/** Refused by every schema of a number. */
const notExact = Symbol("a number whose fraction a double loses")

/** A number, or a string that stands for a `bigint` or, without digits, for a number that is not exact. */
const marked = (source: string): string => {
  const value = Number(source)
  // An infinite one is accepted by `Schema.Number`, but is not a number of JSON.
  if (Math.abs(value) === Number.POSITIVE_INFINITY)
    return `"${mark}${Math.sign(value) * 10}${"0".repeat(18)}"`
  if (!Number.isInteger(value)) return source
  // So few digits are exact, but for those of a number that is too small.
  if (source.length < 16 && value !== 0 && Number.isSafeInteger(value)) return source
  const [mantissa = "", exponent = ""] = source.split(/e/i)
  const [whole = "", fraction = ""] = mantissa.split(".")
  const digits = whole + fraction
  const point = Math.max(0, whole.length + Number(exponent))
  if (/[1-9]/.test(digits.slice(point))) return `"${mark}"`
  if (Number.isSafeInteger(value) || Math.abs(value) > 1e19) return source
  return `"${mark}${digits.slice(0, point).padEnd(point, "0")}"`
}

const restored = (value: unknown): unknown => {
  if (typeof value === "string" && value.startsWith(mark))
    return value.length === mark.length ? notExact : BigInt(value.slice(mark.length))
  if (Array.isArray(value)) return value.map(restored)
  if (typeof value === "object" && value !== null)
    for (const [name, part] of Object.entries(value)) {
      const exact = restored(part)
      // Assigning to `__proto__` would do something else.
      if (exact !== part) Object.defineProperty(value, name, { value: exact })
    }
  return value
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
