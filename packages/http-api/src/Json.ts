/** Parses JSON as a schema asks for it: where it has a `bigint`, integers stay exact. */
import * as Data from "effect/Data"
import * as Either from "effect/Either"
import type * as Schema from "effect/Schema"
import { type Place, placeOf, placesOf } from "./internal/ExactIntegers.ts"

/** The text is not JSON, is nested too deeply, or has too many values. */
export class MalformedJson extends Data.TaggedError("MalformedJson")<{
  readonly message: string
}> {}

const maxDepth = 100
/** Bounds the time and the memory that a text takes. One of 64 KiB cannot have more. */
const maxValues = 32_768
const scalar = /true|false|null|-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y

/**
 * Makes a parser of the JSON that a schema is decoded from. The schema decides what a number is: where it has an
 * `Int64`, an integer that a `number` does not have exactly is a `bigint`. All else is what `JSON.parse` gives. A text
 * may be nested 100 levels deep and have 32,768 values.
 */
export const parser = (
  schema: Schema.Schema.All
): ((text: string) => Either.Either<unknown, MalformedJson>) => {
  const place = placeOf(schema.ast)
  const unsuited = unsuitedIn(placesOf(schema.ast))
  return (text) => {
    if (isBounded(text) && !unsuited?.test(text)) {
      try {
        return Either.right(JSON.parse(text))
      } catch {
        // The other parser describes the error.
      }
    }
    return parse(text, place)
  }
}

/** What a text contains if the native parser may change a number of these places: an exact integer, or one that is too large. */
const unsuitedIn = (places: ReadonlyArray<Place>): RegExp | undefined => {
  const exact = places.filter(({ hasBigInt }) => hasBigInt)
  if (exact.length === 0)
    return places.some(({ hasNumber }) => hasNumber) ? /[0-9][eE]|[0-9]{300}/ : undefined
  return exact.every(({ hasNumber }) => hasNumber) ? /[0-9.]{16}|[0-9][eE]/ : /[0-9]/
}

/** Whether a text, if it is valid, is too short to be nested too deeply and to have too many values. */
const isBounded = (text: string): boolean =>
  text.length <= 2 * maxDepth ||
  (text.length <= 2 * maxValues && text.split(/[[{]/, maxDepth + 2).length <= maxDepth + 1)

const parse = (text: string, whole: Place): Either.Either<unknown, MalformedJson> => {
  let at = 0
  let values = 0

  const fail = (expected: string): never => {
    const where = at < text.length ? `at character ${at + 1}` : "where it ends"
    throw new MalformedJson({ message: `expected ${expected} ${where}` })
  }
  /** Skips white space and returns the code of the next character. */
  const next = () => {
    let code = text.charCodeAt(at)
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      code = text.charCodeAt(++at)
    }
    return code
  }
  const parseString = () => {
    if (text[at] !== '"') fail("a string")
    const from = at++
    let plain = true
    for (let code = text.charCodeAt(at); code !== 0x22; code = text.charCodeAt(at)) {
      if (!(code >= 0x20)) fail("a closing quote")
      plain &&= code !== 0x5c
      at += code === 0x5c ? 2 : 1
    }
    at++
    return plain ? text.slice(from + 1, at - 1) : unquote(text.slice(from, at))
  }
  /** Skips an opening bracket. Whether an item follows it. */
  const hasFirst = (close: number) => {
    at++
    const isEmpty = next() === close
    if (isEmpty) at++
    return !isEmpty
  }
  /** Skips a comma or the closing bracket. Whether an item follows it. */
  const hasNext = (close: number) => {
    const code = next()
    if (code !== 0x2c && code !== close) fail(`',' or '${String.fromCharCode(close)}'`)
    at++
    return code !== close
  }
  const parseObject = (depth: number, place: Place) => {
    const object: Record<string, unknown> = {}
    for (let more = hasFirst(0x7d); more; more = hasNext(0x7d)) {
      next()
      const key = parseString()
      if (next() !== 0x3a) fail("':'")
      at++
      const value = parseValue(depth, place.fieldOf(key))
      if (key === "__proto__") defineOwn(object, key, value)
      else object[key] = value
    }
    return object
  }
  const parseArray = (depth: number, place: Place) => {
    if (!hasFirst(0x5d)) return []
    // Pushing to an empty array would reserve room for 16 items.
    const array = [parseValue(depth, place.itemOf(0))]
    while (hasNext(0x5d)) array.push(parseValue(depth, place.itemOf(array.length)))
    return array
  }
  const parseScalar = (place: Place) => {
    scalar.lastIndex = at
    const [token, fraction, exponent] = scalar.exec(text) ?? fail("a value")
    at = scalar.lastIndex
    if (token === "true" || token === "false") return token === "true"
    if (token === "null") return null
    const nearest = Number(token)
    if (!place.hasBigInt) return place.hasNumber && !Number.isFinite(nearest) ? tooLarge : nearest
    const isPlain = fraction === undefined && exponent === undefined
    if (isPlain && place.hasNumber && Number.isSafeInteger(nearest)) return nearest
    const number = toNumber(token, nearest, fraction, exponent)
    return place.hasNumber && isSafe(number) ? Number(number) : number
  }
  const parseValue = (depth: number, place: Place): unknown => {
    if (depth > maxDepth)
      throw new MalformedJson({ message: `nested over ${maxDepth} levels deep` })
    if (++values > maxValues) throw new MalformedJson({ message: `over ${maxValues} values` })
    next()
    switch (text[at]) {
      case "{":
        return parseObject(depth + 1, place)
      case "[":
        return parseArray(depth + 1, place)
      case '"':
        return parseString()
      default:
        return parseScalar(place)
    }
  }

  try {
    const value = parseValue(0, whole)
    return Number.isNaN(next()) ? Either.right(value) : fail("the end")
  } catch (error) {
    if (error instanceof MalformedJson) return Either.left(error)
    throw error
  }
}

/** A number that a `number` does not have: no schema accepts it. */
const tooLarge = Symbol("a number that is too large")

/** Defines a property; assigning `__proto__` would change the object's prototype. */
const defineOwn = (object: object, key: string, value: unknown) =>
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true })

const unquote = (quoted: string): string => {
  try {
    return JSON.parse(quoted)
  } catch {
    throw new MalformedJson({ message: "a string has an unknown escape" })
  }
}

const isSafe = (number: bigint | number): boolean => Number.isSafeInteger(Number(number))

/** A number is an integer if its digits, shifted by its exponent, leave no fraction. */
const toNumber = (
  token: string,
  nearest: number,
  fraction = "",
  exponent = ""
): bigint | number => {
  const whole = token.slice(0, token.length - fraction.length - exponent.length)
  const digits = (whole + fraction.slice(1)).replace(/^-?0*/, "")
  if (digits === "") return 0n
  const shift = Number(exponent.slice(1)) - Math.max(fraction.length - 1, 0)
  const rest = shift < 0 ? digits.slice(shift) : ""
  // Not an integer if a fraction is left, even one too small for a double.
  if (/[^0]/.test(rest)) return Number.isInteger(nearest) ? Number.NaN : nearest
  if (digits.length + shift > 19) return nearest
  const size = BigInt(shift < 0 ? digits.slice(0, shift) : digits + "0".repeat(shift))
  return token.startsWith("-") ? -size : size
}
