/** Checks of values, of inputs as of answers. Each throws an error that names the value. */
import { InvalidInput } from "../Errors.ts"

/** Throws what a value must be. */
export const refuse = (name: string, complaint: string): never => {
  throw new InvalidInput(`${name} must ${complaint}`)
}

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value)

/** A 64-bit integer. */
export const int64 = (name: string, value: unknown): bigint => {
  if (typeof value !== "bigint" && !isInteger(value))
    return refuse(
      name,
      Number.isInteger(value) ? "be given as a bigint to be exact" : "be an integer"
    )
  const exact = BigInt(value)
  return BigInt.asIntN(64, exact) === exact
    ? exact
    : refuse(name, `be between ${-(2n ** 63n)} and ${2n ** 63n - 1n}`)
}

/** An integer of a range. */
export const between = (from: number, to: number) => (name: string, value: unknown) =>
  isInteger(value) && value >= from && value <= to
    ? value
    : refuse(name, `be a whole number from ${from} to ${to}`)

/** A text that matches an expression. */
export const matching = (expression: RegExp, what: string) => (name: string, value: unknown) =>
  typeof value === "string" && expression.test(value) ? value : refuse(name, `be ${what}`)

/** A text as names are: not empty, and one that stores can keep. */
export const text = (name: string, value: unknown): string => {
  if (typeof value !== "string") return refuse(name, "be a string")
  if (value === "") return refuse(name, "not be empty")
  return value.isWellFormed() && !value.includes("\0")
    ? value
    : refuse(name, "not contain U+0000 or lone surrogates")
}

/** One of these texts. */
export const oneOf = (texts: ReadonlyArray<string>) => (name: string, value: unknown) =>
  texts.find((text) => text === value) ?? refuse(name, `be one of ${texts.join(", ")}`)

/** The check of a field: it returns the value, or throws. */
export type Check<A = bigint | string> = (name: string, value: unknown) => A | undefined

/** The fields of a table that an object has, in the order of the table; throws if one is invalid. */
export const checked = <A>(
  name: string,
  table: Readonly<Record<string, Check<A>>>,
  value: unknown
): Record<string, A> => {
  const given: Readonly<Record<string, unknown>> = Object(value)
  if (given !== value) refuse(name, "be an object")
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
    value === undefined ? value : check(name, value)

/** The message of the root cause, which is the most specific. */
export const reasonOf = (error: unknown): string => {
  const { cause, message }: Partial<Error> = Object(error)
  return cause instanceof Error ? reasonOf(cause) : message || String(error)
}
