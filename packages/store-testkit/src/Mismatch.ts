/** Exact comparison of actual and expected results. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/** A result that differs from the expected one, narrowed down to the first part that differs. */
export class Mismatch extends Data.TaggedError("Mismatch")<{
  /** What was compared, as a path into the result. */
  readonly what: string
  readonly expected: unknown
  readonly actual: unknown
  /** The failure of the store, when there was no result. */
  readonly cause?: unknown
}> {
  override get message() {
    return `${this.what}: expected ${show(this.expected)}, got ${show(this.actual)}`
  }
}

/** Fails unless both are the same to the last key and digit: a key with `undefined` is not an absent key. */
export const expectSame = (
  what: string,
  actual: unknown,
  expected: unknown
): Effect.Effect<void, Mismatch> => firstDifference(what, actual, expected) ?? Effect.void

/** Fails with what is wrong unless the condition holds. */
export const expectThat = (
  condition: boolean,
  facts: { readonly what: string; readonly expected: unknown; readonly actual: unknown }
): Effect.Effect<void, Mismatch> => (condition ? Effect.void : new Mismatch(facts))

/** The mismatch of a store that failed or died instead of giving a result. */
export const noAnswer = (what: string, cause: unknown): Mismatch =>
  new Mismatch({
    what,
    expected: "an answer",
    actual: cause instanceof Error ? reasons(cause).join(", caused by ") : cause,
    cause
  })

/** The error, and what caused it, for those who see only the message. */
const reasons = (error: Error): ReadonlyArray<string> => [
  `${error.name}: ${error.message}`,
  ...(error.cause instanceof Error ? reasons(error.cause) : [])
]

const firstDifference = (
  what: string,
  actual: unknown,
  expected: unknown
): Mismatch | undefined => {
  if (Object.is(actual, expected)) return undefined
  if (!isObject(actual) || !isObject(expected) || Array.isArray(actual) !== Array.isArray(expected))
    return new Mismatch({ what, expected, actual })
  const inActual = new Map(Object.entries(actual))
  const inExpected = new Map(Object.entries(expected))
  for (const key of new Set([...inExpected.keys(), ...inActual.keys()])) {
    const part = Array.isArray(expected) ? `${what}[${key}]` : `${what}.${key}`
    if (!inActual.has(key))
      return new Mismatch({ what: part, expected: inExpected.get(key), actual: "nothing" })
    if (!inExpected.has(key))
      return new Mismatch({ what: part, expected: "nothing", actual: inActual.get(key) })
    const difference = firstDifference(part, inActual.get(key), inExpected.get(key))
    if (difference !== undefined) return difference
  }
  return undefined
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const maxLength = 300

/** In ASCII, since characters that stores confuse may look the same. */
const show = (value: unknown): string => {
  const text = JSON.stringify(value, (_, part: unknown) =>
    typeof part === "bigint" ? `${part}n` : part === undefined ? "undefined" : part
  ).replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
  return text.length <= maxLength
    ? text
    : `${text.slice(0, maxLength)}… (${text.length} characters)`
}
