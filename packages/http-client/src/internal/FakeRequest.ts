/** Reads requests to the fake as the service does. */
import { parseNumbers } from "../Json.ts"
import { type Check, int64 } from "./Checks.ts"
import { complaintOf, refuse } from "./FakeAnswer.ts"

/** A request to an operation. */
export interface Call {
  readonly request: Request
  readonly query: URLSearchParams
  /** What the path has after that of the resource, such as `/pets/`. */
  readonly id: string
  readonly apiKey: string
}

/** What a key may do. */
export type Scope = "pets:read" | "pets:write"

/** All that a key may do. */
export const scopes: ReadonlyArray<Scope> = ["pets:read", "pets:write"]

type Handle = (call: Call) => Response | Promise<Response>

/** The methods of a path, each with the scope that it needs. */
type Methods = Readonly<Record<string, readonly [scope: Scope | undefined, handle: Handle]>>

/** A path, without that before its version, and its methods. */
export type Route = readonly [path: RegExp, methods: Methods]

const maxBytes = 65_536
const maxDepth = 100
const jsonType = /^application\/json[ \t]*(?:;[ \t]*(?:charset=(?:utf-8|"utf-8")[ \t]*)?)*$/i

/** The idempotency key of a request, if it has one, or the answer that refuses it. */
export const readKey = ({ headers }: Request): string | Response | undefined => {
  const header = headers.get("idempotency-key")
  if (header === null || /^(?!")[!-~]{1,255}$/.test(header)) return header ?? undefined
  const quoted = /^"((?:[!#-[\]-~]|\\["\\]){1,255})"$/.exec(header)?.[1]
  const what = "1 to 255 visible ASCII characters, in quotes or not"
  return (
    quoted?.replaceAll(/\\(.)/g, "$1") ?? refuse("bad_request", `idempotency-key must be ${what}`)
  )
}

/** The fields of the JSON object in a body, or the answer that refuses it. */
export const readBody = async (
  request: Request
): Promise<Readonly<Record<string, unknown>> | Response> => {
  const { headers } = request
  if (!jsonType.test(headers.get("content-type") ?? ""))
    return refuse("unsupported_media_type", "the Content-Type must be application/json")
  if (headers.has("content-encoding"))
    return refuse("unsupported_media_type", "the body must have no Content-Encoding")
  const bytes = await request.arrayBuffer()
  if (bytes.byteLength > maxBytes)
    return refuse("payload_too_large", `the body must have at most ${maxBytes} bytes`)
  let text = ""
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  if (complaintOf(() => (text = decoder.decode(bytes))) !== "")
    return refuse("malformed_json", "the body is not UTF-8")
  if (text.trim() === "") return refuse("malformed_json", "the body is empty")
  let value: unknown
  if (complaintOf(() => (value = parse(text))) !== "")
    return refuse("malformed_json", "the body is not JSON")
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? { ...value }
    : refuse("invalid_body", "the body must be an object")
}

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
  const digits = BigInt(whole + fraction)
  const shift = Number(exponent) - fraction.length
  // Not shifted by more digits than 64 bits and a body have.
  if (shift >= 0) return digits * 10n ** BigInt(Math.min(shift, 20))
  const divisor = 10n ** BigInt(Math.min(-shift, maxBytes))
  return digits % divisor === 0n ? digits / divisor : 0.5
}

/** The complaints about all fields of a table. */
export const problemsOf = (
  table: Readonly<Record<string, Check>>,
  given: Readonly<Record<string, unknown>>,
  isRepeated = (_: string) => false
): string =>
  Object.entries(table)
    .map(([name, check]) => {
      if (isRepeated(name)) return `${name} must be given once`
      const problem = complaintOf(() => check(name, given[name]))
      return problem !== "" && given[name] === undefined ? `${name} is required` : problem
    })
    .filter((problem) => problem !== "")
    .join("; ")

/** Whether a text is an id as the contract writes it. */
export const isId = (text: string): boolean =>
  /^(0|-?[1-9]\d*)$/.test(text) && complaintOf(() => int64("id", BigInt(text))) === ""
