/** Parses JSON with exact integers. */

/** A string or a number, with the colon that makes it a key. Unterminated strings match, too: time stays linear. */
const token = /("[^"\\]*(?:\\.[^"\\]*)*"?|-?\d[\d.eE+-]*)(\s*:)?/gs
const integer = /^-?(?:0|[1-9]\d{0,18})$/

/**
 * As `JSON.parse`, but integers that a `number` may not hold become a `bigint`, as long as the text has any of
 * them: then all its integers do. Such integers are passed to the native parser as strings with a mark, and
 * strings with another one.
 */
export const parse = (text: string): unknown => {
  if (!/\d{16}/.test(text)) return JSON.parse(text)
  const marked = text.replace(token, (whole, value: string, colon: string | undefined) => {
    if (colon !== undefined) return whole
    if (value[0] === '"') return `"s${value.slice(1)}`
    return integer.test(value) ? `"n${value}"` : value
  })
  return JSON.parse(marked, (_, value) => {
    if (typeof value !== "string") return value
    return value[0] === "n" ? BigInt(value.slice(1)) : value.slice(1)
  })
}
