/** JSON with exact integers. `JSON.stringify` refuses pets, and `JSON.parse` rounds their integers. */
import { integer, parseNumbers } from "./internal/Json.ts"

/** As `JSON.stringify`, but a `bigint` becomes a number with all its digits. */
export const stringify = (value: unknown): string => textOf(value) ?? "null"

/** Nothing for what JSON has no text for: it is left out of objects. */
const textOf = (value: unknown): string | undefined => {
  if (typeof value === "bigint") return String(value)
  if (Array.isArray(value)) return `[${value.map(stringify)}]`
  if (typeof value !== "object" || value === null || "toJSON" in value) return JSON.stringify(value)
  const fields = Object.entries(value).flatMap(([name, field]) => {
    const text = textOf(field)
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`]
  })
  return `{${fields}}`
}

/**
 * As `JSON.parse`, but each integer becomes a `bigint`, unless it has more than 19 digits. As there, the type is what
 * the caller expects: it is not checked.
 */
export const parse = <A = unknown>(text: string): A => parseNumbers(text, integer, BigInt) as A
