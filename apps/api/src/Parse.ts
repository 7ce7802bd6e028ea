/** Reading what people write in variables and on command lines. */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

/** Reads a text, or tells how it must be written. */
export type Parse<A> = (text: string) => Either.Either<A, string>

/** What a schema takes; its own message tells how it must be written. */
export const fromSchema = <A>(schema: Schema.Schema<A, string>): Parse<A> => {
  const decode = Schema.decodeEither(schema)
  return (text) =>
    Either.mapLeft(decode(text), (error) =>
      ParseResult.ArrayFormatter.formatErrorSync(error)
        .map(({ message }) => message)
        .join("; ")
    )
}

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
