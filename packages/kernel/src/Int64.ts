/** Exact 64-bit integers: a `bigint` in the program, an integer in JSON. */
import * as Schema from "effect/Schema"

/** The smallest value an {@link Int64} can have. */
export const min = -9223372036854775808n

/** The largest value an {@link Int64} can have. */
export const max = 9223372036854775807n

/** An {@link Int64} as JSON Schema describes it. */
export const jsonSchema = { type: "integer", format: "int64" }

const notAnInteger = "must be an integer"
const outOfRange = `must be between ${min} and ${max}`
const notExact = "must be given as a bigint: a number of this size is not exact"

/**
 * An exact 64-bit integer. Encoded it is a `number` where a number is exact and a `bigint` beyond,
 * so that plain JSON tools read the common case and an exact one reads them all.
 */
export const Int64 = Schema.transform(
  Schema.Union(Schema.BigIntFromSelf, Schema.Number)
    .annotations({ message: () => ({ message: notAnInteger, override: true }) })
    .pipe(
      Schema.filter(
        (input) => typeof input === "bigint" || Number.isSafeInteger(input) || reasonOf(input)
      )
    ),
  Schema.BigIntFromSelf.pipe(Schema.betweenBigInt(min, max, { message: () => outOfRange })),
  {
    strict: true,
    decode: BigInt,
    encode: (value) =>
      value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value
  }
).annotations({ identifier: "Int64", jsonSchema })
export type Int64 = typeof Int64.Type

/** Why a `number` that is not a safe integer is refused. */
const reasonOf = (input: number): string => {
  if (Math.abs(input) === Number.POSITIVE_INFINITY) return outOfRange
  if (!Number.isInteger(input)) return notAnInteger
  return input >= min && input <= max ? notExact : outOfRange
}

const decimal = /^(?:0|-?[1-9][0-9]{0,18})$/

/** The integer that a text is the canonical decimal form of, or `undefined`. */
export const fromText = (text: string): Int64 | undefined => {
  if (!decimal.test(text)) return undefined
  const value = BigInt(text)
  return value >= min && value <= max ? value : undefined
}
