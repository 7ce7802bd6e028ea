/** The body of a create, as the service reads it. */

import { parseNumbers } from "../Json.ts"
import { type Answer, complaintOf, refuse } from "./FakeAnswer.ts"

const maxBytes = 65_536
const maxDepth = 100
const jsonType = /^application\/json[ \t]*(?:;[ \t]*(?:charset=(?:utf-8|"utf-8")[ \t]*)?)*$/i

/** The fields of the JSON object in a body, or the answer that refuses it. */
export const readBody = async (
  request: Request
): Promise<
  { readonly fields: Readonly<Record<string, unknown>> } | { readonly refusal: Answer }
> => {
  const { headers } = request
  if (!jsonType.test(headers.get("content-type") ?? ""))
    return refused("unsupported_media_type", "the Content-Type must be application/json")
  if (headers.has("content-encoding"))
    return refused("unsupported_media_type", "the body must have no Content-Encoding")
  const bytes = await request.arrayBuffer()
  if (bytes.byteLength > maxBytes)
    return refused("payload_too_large", `the body must have at most ${maxBytes} bytes`)
  let text = ""
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  if (complaintOf(() => (text = decoder.decode(bytes))) !== "")
    return refused("malformed_json", "the body is not UTF-8")
  if (text.trim() === "") return refused("malformed_json", "the body is empty")
  let value: unknown
  if (complaintOf(() => (value = parse(text))) !== "")
    return refused("malformed_json", "the body is not JSON")
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? { fields: { ...value } }
    : refused("invalid_body", "the body must be an object")
}

const refused = (...refusal: Parameters<typeof refuse>) => ({ refusal: refuse(...refusal) })

/** Any number of JSON. */
const number = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i

const parse = (text: string): unknown => {
  const value = parseNumbers(text, number, toNumber)
  if (depthOf(value) > maxDepth) throw new Error("nested too deeply")
  return value
}

/** How deep the values of an object or an array are. */
const depthOf = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map(depthOf))
    : 0

/** A number is an integer if its digits, shifted by its exponent, leave no fraction: `1.0` and `1e2` are. */
const toNumber = (text: string): bigint | number => {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e")
  const [whole = "", fraction = ""] = mantissa.split(".")
  const all = whole + fraction
  const [start = "", sign] = /^(-?)0*/.exec(all) ?? []
  const digits = all.slice(start.length)
  if (digits === "") return 0n
  const shift = Number(exponent) - fraction.length
  if (shift < 0 && /[^0]/.test(digits.slice(shift))) return 0.5
  // More digits than 64 bits have.
  if (digits.length + shift > 19) return BigInt(`${sign}${"9".repeat(20)}`)
  return BigInt(sign + (shift < 0 ? digits.slice(0, shift) : digits + "0".repeat(shift)))
}
