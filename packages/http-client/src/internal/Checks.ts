/** Checks of values, of inputs as of answers. Each throws an error that names the value. */
import { fail } from "../Failure.ts"

/** The check of a value: it returns the value, or throws. */
export type Check<A> = (name: string, value: unknown) => A

/** What the checks of some fields return; a field that may be `undefined` may be missing. */
export type Checked<Fields extends Readonly<Record<string, Check<unknown>>>> = {
  readonly [Name in keyof Fields as undefined extends ReturnType<Fields[Name]>
    ? never
    : Name]: ReturnType<Fields[Name]>
} & {
  readonly [Name in keyof Fields as undefined extends ReturnType<Fields[Name]>
    ? Name
    : never]?: Exclude<ReturnType<Fields[Name]>, undefined>
}

/** Throws that a value must be something: `refuse("dose", "be even")` for "dose must be even". */
export const refuse = (name: string, complaint: string): never => {
  throw fail("invalid_input", `${name} must ${complaint}`)
}

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value)

/** A 64-bit integer. */
export const int64 = (name: string, value: unknown): bigint => {
  const exact = isInteger(value) ? BigInt(value) : value
  return typeof exact === "bigint" && BigInt.asIntN(64, exact) === exact
    ? exact
    : refuse(name, "be an exact 64-bit integer")
}

/** An integer of a range. */
export const between =
  (from: number, to: number): Check<number> =>
  (name, value) =>
    isInteger(value) && value >= from && value <= to
      ? value
      : refuse(name, `be an integer from ${from} to ${to}`)

/** A text that matches an expression. */
export const matching =
  (expression: RegExp, what: string): Check<string> =>
  (name, value) =>
    typeof value === "string" && expression.test(value) ? value : refuse(name, `be ${what}`)

/** A text as names are: not empty, and one that stores can keep. */
export const text = matching(
  /^[^\0\ud800-\udfff]+$/u,
  "non-empty text without U+0000 or lone surrogates"
)

/** One of these values. */
export const oneOf =
  <A extends string>(values: ReadonlyArray<A>): Check<A> =>
  (name, value) =>
    values.find((one) => one === value) ?? refuse(name, `be one of ${values.join(", ")}`)

/** A value that may be missing. */
export const optional =
  <A>(check: Check<A>): Check<A | undefined> =>
  (name, value) =>
    value === undefined ? value : check(name, value)

/** An array of such values. */
export const array =
  <A>(check: Check<A>): Check<ReadonlyArray<A>> =>
  (name, value) =>
    Array.isArray(value) ? value.map((item) => check(name, item)) : refuse(name, "be an array")

/** An object with these fields, in this order; others are left out. */
export const struct =
  <Fields extends Readonly<Record<string, Check<unknown>>>>(
    fields: Fields
  ): Check<Checked<Fields>> =>
  (name, value) => {
    const given: Readonly<Record<string, unknown>> = Object(value)
    if (given !== value) refuse(name, "be an object")
    const result: Record<string, unknown> = {}
    for (const [field, check] of Object.entries(fields)) {
      const valid = check(field, given[field])
      if (valid !== undefined) result[field] = valid
    }
    // Each of its fields was checked.
    return result as Checked<Fields>
  }

/** The message of the root cause, which is the most specific. */
export const reasonOf = (error: unknown): string => {
  const { cause, message }: Partial<Error> = Object(error)
  return cause instanceof Error ? reasonOf(cause) : message || String(error)
}
