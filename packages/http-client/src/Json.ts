/**
 * JSON with exact integers. `JSON.stringify` refuses pets, and `JSON.parse` rounds their integers, so numbers pass the
 * native functions as strings with a mark, and strings with another one.
 */

/** A string or a number, with the colon that makes it a key. Unterminated strings also match: time stays linear. */
const token = /("[^"\\]*(?:\\.[^"\\]*)*"?|-?\d[\d.eE+-]*)(\s*:)?/gs

/** Integers, of as many digits as those of 64 bits may have. */
const integer = /^-?(0|[1-9]\d{0,18})$/

/** Changes the strings and numbers of JSON, but for keys. */
const change = (json: string, one: (value: string) => string): string =>
  json.replace(token, (whole, value: string, colon?: string) => (colon ? whole : one(value)))

/** As `JSON.stringify`, but a `bigint` becomes a number with all its digits. */
export const stringify = (value: unknown): string => {
  const marked: string | undefined = JSON.stringify(value, (_, value) => {
    if (typeof value === "bigint") return `n${value}`
    return typeof value === "string" ? `s${value}` : value
  })
  return change(marked ?? "null", (value) =>
    value[1] === "n" ? value.slice(2, -1) : value.replace('"s', '"')
  )
}

/**
 * As `JSON.parse`, but each integer becomes a `bigint`, unless it has more than 19 digits. As there, the type is what
 * the caller expects: it is not checked.
 */
export const parse = <A = unknown>(text: string): A => parseSome(text, () => true)

/** As `parse`, but only the integers that `isExact` selects become a `bigint`. @internal */
export const parseSome = <A>(text: string, isExact: (integer: string) => boolean): A => {
  const marked = change(text, (value) =>
    integer.test(value) && isExact(value) ? `"n${value}"` : value.replace('"', '"s')
  )
  return JSON.parse(marked, (_, value) => {
    if (typeof value !== "string") return value
    return value[0] === "n" ? BigInt(value.slice(1)) : value.slice(1)
  })
}
