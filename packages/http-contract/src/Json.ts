/** Parses JSON; integers become `bigint`, so that they stay exact. */
import * as Data from "effect/Data"
import * as Either from "effect/Either"

/** The text is not JSON, or is nested too deeply. */
export class MalformedJson extends Data.TaggedError("MalformedJson")<{
  readonly message: string
}> {}

const deepest = 100
const space = /[ \t\n\r]*/y
const number = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y

/**
 * Parses a JSON text. Integers of at most 19 digits, which include all 64-bit integers, become `bigint`;
 * any other number becomes a `number`.
 */
export const parse = (text: string): Either.Either<unknown, MalformedJson> => {
  let at = 0

  const fail = (expected: string): never => {
    const where = at < text.length ? `at character ${at + 1}` : "where it ends"
    throw new MalformedJson({ message: `expected ${expected} ${where}` })
  }
  /** Skips white space and returns the next character. */
  const next = () => {
    space.lastIndex = at
    space.test(text)
    at = space.lastIndex
    return text[at]
  }
  const take = <A>(literal: string, value: A) => {
    if (!text.startsWith(literal, at)) fail("a value")
    at += literal.length
    return value
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
  /** The items up to this closing bracket, each parsed by a function. */
  const parseItems = (close: string, parseItem: () => void) => {
    at++
    if (next() === close) return at++
    while (true) {
      parseItem()
      if (next() === close) return at++
      if (text[at] !== ",") fail(`',' or '${close}'`)
      at++
    }
  }
  const parseObject = (depth: number) => {
    const object: Record<string, unknown> = {}
    parseItems("}", () => {
      next()
      const key = parseString()
      if (next() !== ":") fail("':'")
      at++
      const value = parseValue(depth)
      if (key === "__proto__") defineOwn(object, key, value)
      else object[key] = value
    })
    return object
  }
  const parseArray = (depth: number) => {
    const array: Array<unknown> = []
    parseItems("]", () => array.push(parseValue(depth)))
    return array
  }
  const parseNumber = () => {
    number.lastIndex = at
    const [token, fraction, exponent] = number.exec(text) ?? fail("a value")
    at = number.lastIndex
    return toNumber(token, fraction, exponent)
  }
  const parseValue = (depth: number): unknown => {
    if (depth > deepest) throw new MalformedJson({ message: `nested over ${deepest} levels deep` })
    switch (next()) {
      case "{":
        return parseObject(depth + 1)
      case "[":
        return parseArray(depth + 1)
      case '"':
        return parseString()
      case "t":
        return take("true", true)
      case "f":
        return take("false", false)
      case "n":
        return take("null", null)
      default:
        return parseNumber()
    }
  }

  try {
    const value = parseValue(0)
    return next() === undefined ? Either.right(value) : fail("the end")
  } catch (error) {
    if (error instanceof MalformedJson) return Either.left(error)
    throw error
  }
}

/**
 * As `parse`, but with the native parser for short texts without numbers that it could change; their integers
 * are a `number`, which an `Int64` accepts as well.
 */
export const parseShort = (text: string): Either.Either<unknown, MalformedJson> => {
  // A valid text of this length cannot be nested too deeply.
  if (text.length <= 2 * deepest && !inexact.test(text)) {
    try {
      return Either.right(JSON.parse(text))
    } catch {
      // The other parser describes the error.
    }
  }
  return parse(text)
}

const inexact = /[0-9]{16}|[0-9][.eE]|-0/

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

/** A number is an integer if its digits, shifted by its exponent, leave no fraction. */
const toNumber = (token: string, fraction = "", exponent = ""): bigint | number => {
  const sign = token.startsWith("-") ? "-" : ""
  if (fraction === "" && exponent === "") {
    return token.length - sign.length <= 19 ? BigInt(token) : Number(token)
  }
  const nearest = Number(token)
  if (!Number.isInteger(nearest)) return nearest
  const whole = token.slice(sign.length, token.length - fraction.length - exponent.length)
  const digits = whole + fraction.slice(1)
  if (isZero(digits)) return 0n
  const shift = Number(exponent.slice(1)) - Math.max(fraction.length - 1, 0)
  // Not an integer if a fraction is left, even one too small for a double.
  if (shift < 0 && !isZero(digits.slice(shift))) return Number.NaN
  if (Math.abs(nearest) >= 1e19) return nearest
  return BigInt(sign + (shift < 0 ? digits.slice(0, shift) : digits + "0".repeat(shift)))
}

const isZero = (digits: string): boolean => /^0*$/.test(digits)
