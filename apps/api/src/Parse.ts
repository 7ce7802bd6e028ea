/** Reading what people write in variables and on command lines. */
import * as Either from "effect/Either"

/** Reads a text, or tells how it must be written. */
export type Parse<A> = (text: string) => Either.Either<A, string>

/** Any text but none. */
export const text: Parse<string> = (value) =>
  value === "" ? Either.left("must not be empty") : Either.right(value)

/** A number of plain digits. */
export const wholeNumber =
  (from: number, to: number): Parse<number> =>
  (value) =>
    /^[0-9]{1,15}$/.test(value) && Number(value) >= from && Number(value) <= to
      ? Either.right(Number(value))
      : Either.left(`must be a whole number from ${from} to ${to}, not "${value}"`)

/** One of these words. */
export const oneOf =
  <A extends string>(words: ReadonlyArray<A>): Parse<A> =>
  (value) => {
    const found = words.find((word) => word === value)
    return found === undefined
      ? Either.left(`must be one of ${words.join(", ")}, not "${value}"`)
      : Either.right(found)
  }
