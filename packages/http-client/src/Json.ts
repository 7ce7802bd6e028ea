/**
 * JSON with exact integers. `JSON.stringify` refuses pets, and `JSON.parse` rounds their integers, so numbers pass the
 * native functions as strings with a mark, and strings with another one.
 */

/** A string or a number, with the colon that makes it a key. Unterminated strings match, too: time stays linear. */
const token = /("[^"\\]*(?:\\.[^"\\]*)*"?|-?\d[\d.eE+-]*)(\s*:)?/gs

/** Integers, of as many digits as those of 64 bits may have. */
const integer = /^-?(0|[1-9]\d{0,18})$/

/** As `JSON.stringify`, but a `bigint` becomes a number with all its digits. */
export const stringify = (value: unknown): string => {
  const marked: string | undefined = JSON.stringify(value, (_, value) => {
    if (typeof value === "bigint") return `n${value}`
    return typeof value === "string" ? `s${value}` : value
  })
  return (marked ?? "null").replace(token, (whole, value: string, colon: string | undefined) => {
    if (colon !== undefined) return whole
    return value[1] === "n" ? value.slice(2, -1) : value.replace('"s', '"')
  })
}

/**
 * As `JSON.parse`, but each integer becomes a `bigint`, unless it has more than 19 digits. As there, the type is what
 * the caller expects: it is not checked.
 */
export const parse = <A = unknown>(text: string): A => parseNumbers(text, integer, BigInt) as A

/**
 * Parses an answer: integers become a `bigint` if a `number` may not hold one of them.
 * @internal
 */
export const parseAnswer = (text: string): unknown =>
  /\d{16}/.test(text) ? parseNumbers(text, integer, BigInt) : JSON.parse(text)

/**
 * As `JSON.parse`, but reads the numbers that match by another function.
 * @internal
 */
export const parseNumbers = (
  text: string,
  number: RegExp,
  read: (digits: string) => unknown
): unknown => {
  const marked = text.replace(token, (whole, value: string, colon: string | undefined) => {
    if (colon !== undefined) return whole
    return number.test(value) ? `"n${value}"` : value.replace('"', '"s')
  })
  return JSON.parse(marked, (_, value) => {
    if (typeof value !== "string") return value
    return value[0] === "n" ? read(value.slice(1)) : value.slice(1)
  })
}
