/** Checks of values, of inputs as of answers. Each throws an error that names the value. */
import { InvalidInput } from "../Errors.ts"

/** Throws that a value is not as it must be. */
export const refuse = (name: string, complaint: string): never => {
  throw new InvalidInput(`${name} ${complaint}`)
}

const isInteger = (value: unknown): value is number => Number.isInteger(value)

/** A 64-bit integer. */
export const int64 = (name: string, value: unknown): bigint => {
  if (typeof value !== "bigint" && !isInteger(value)) return refuse(name, "must be an integer")
  if (typeof value === "number" && !Number.isSafeInteger(value))
    return refuse(name, "must be given as a bigint: a number of this size is not exact")
  const exact = BigInt(value)
  return BigInt.asIntN(64, exact) === exact
    ? exact
    : refuse(name, `must be between ${-(2n ** 63n)} and ${2n ** 63n - 1n}`)
}

/** An integer of a range. */
export const between = (name: string, value: unknown, from: number, to: number): number =>
  isInteger(value) && value >= from && value <= to
    ? value
    : refuse(name, `must be a whole number from ${from} to ${to}`)

/** A text that matches an expression. */
export const matching = (name: string, value: unknown, expression: RegExp, what: string): string =>
  typeof value === "string" && expression.test(value) ? value : refuse(name, `must be ${what}`)

/** A text as names are: not empty, and one that stores can keep. */
export const text = (name: string, value: unknown): string => {
  if (typeof value !== "string") return refuse(name, "must be a string")
  if (value === "") return refuse(name, "must not be empty")
  return value.isWellFormed() && !value.includes("\0")
    ? value
    : refuse(name, "must not contain U+0000 or lone surrogates")
}

/** One of these texts. */
export const oneOf = (name: string, value: unknown, texts: ReadonlyArray<string>): string =>
  texts.find((text) => text === value) ?? refuse(name, `must be one of ${texts.join(", ")}`)

/** The check of a field: it returns the value, or throws. */
export type Check<A = string | bigint> = (name: string, value: unknown) => A | undefined

/** The fields of a table that an object has, in the order of the table; throws if one is invalid. */
export const checked = <A>(
  name: string,
  table: Readonly<Record<string, Check<A>>>,
  value: unknown
): Record<string, A> => {
  if (typeof value !== "object" || value === null) return refuse(name, "must be an object")
  const given: Readonly<Record<string, unknown>> = { ...value }
  const result: Record<string, A> = {}
  for (const [field, check] of Object.entries(table)) {
    const valid = check(field, given[field])
    if (valid !== undefined) result[field] = valid
  }
  return result
}

/** The check of a field that may be left out. */
export const optional =
  <A>(check: Check<A>): Check<A> =>
  (name, value) =>
    value === undefined ? undefined : check(name, value)

/** The message of the root cause, which is the most specific. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message || error.name
}
