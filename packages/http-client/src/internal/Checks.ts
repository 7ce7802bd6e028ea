/** Checks of values, of inputs as of answers. Each throws an error that names the value. */
import { InvalidInput } from "../Errors.ts"

const refuse = (name: string, complaint: string): never => {
  throw new InvalidInput(`${name} ${complaint}`)
}

/** The fields of an object. */
export const fields = (name: string, value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : refuse(name, "must be an object")

/** A 64-bit integer. */
export const int64 = (name: string, value: unknown): bigint => {
  if (typeof value !== "bigint" && !(typeof value === "number" && Number.isInteger(value)))
    return refuse(name, "must be an integer")
  if (typeof value === "number" && !Number.isSafeInteger(value))
    return refuse(name, "must be given as a bigint: a number of this size is not exact")
  const exact = BigInt(value)
  return BigInt.asIntN(64, exact) === exact
    ? exact
    : refuse(name, "must be between -9223372036854775808 and 9223372036854775807")
}

/** An integer of a range. */
export const between = (name: string, value: unknown, from: number, to: number): number =>
  typeof value === "number" && Number.isInteger(value) && value >= from && value <= to
    ? value
    : refuse(name, `must be a whole number from ${from} to ${to}`)

/** A text that matches an expression. */
export const matching = (name: string, value: unknown, expression: RegExp, what: string): string =>
  typeof value === "string" && expression.test(value) ? value : refuse(name, `must be ${what}`)

/** The name of a pet. */
export const petName = (name: string, value: unknown): string => {
  if (typeof value !== "string") return refuse(name, "must be a string")
  if (value === "") return refuse(name, "must not be empty")
  return value.isWellFormed() && !value.includes("\0")
    ? value
    : refuse(name, "must not contain U+0000 or lone surrogates")
}

/** One of these texts. */
export const oneOf = (name: string, value: unknown, texts: ReadonlyArray<string>): string =>
  texts.find((text) => text === value) ?? refuse(name, `must be one of ${texts.join(", ")}`)

/** The check of a field: it returns the value, or throws. Answers may have values that inputs may not have. */
export type Check = (name: string, value: unknown, isAnswer: boolean) => string | bigint | undefined

/** The check of a field that may be left out. */
export const optional =
  (check: Check): Check =>
  (name, value, isAnswer) =>
    value === undefined ? undefined : check(name, value, isAnswer)
