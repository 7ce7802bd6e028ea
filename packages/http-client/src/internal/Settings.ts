/** The options of a client, checked and complete. */
import type { CallLimits, Options } from "../Options.ts"
import { between, type Check, matching, optional, reasonOf, refuse, struct } from "./Checks.ts"

/** What every call needs. */
export interface Settings extends Omit<Options, "headers" | keyof Limits>, Limits {
  /** The address of the service with its prefix, without a slash at the end. */
  readonly baseUrl: string
  readonly headers: Headers
}

/** The limits of a call. */
export type Limits = Readonly<Record<keyof CallLimits, number>>

// The longest time that timers can wait.
const max = 2 ** 31 - 1

const limits = {
  timeout: optional(between(1, max)),
  retries: optional(between(0, 100)),
  maxAnswerBytes: optional(between(1, max))
}

/** The limits that options have; throws if one is invalid. */
export const limitsOf = (options: CallLimits) => struct(limits)("the options", options)

/** Checks the options of a client; throws if one is missing or invalid. */
export const settingsOf = (options: Options): Settings => {
  const fields = { baseUrl: address, apiKey, ...limits }
  // Without options, the first that is missing is reported.
  const checked = struct(fields)("the options", Object(options))
  return {
    ...options,
    timeout: 30_000,
    retries: 2,
    maxAnswerBytes: 2 ** 22,
    ...checked,
    headers: withHeaders(checked.baseUrl, own, options.headers)
  }
}

/** An API key or another token. */
export const token = matching(/^[!-~]+$/, "non-empty text without spaces")

const apiKey: Check<Options["apiKey"]> = (name, value) =>
  typeof value === "function" ? (value as () => string) : token(name, value)

/** An address, with the prefix if it lacks that; a host may also be called v1. */
const address: Check<string> = (name, value) => {
  const url = matching(/^https?:\/\/[^/@?#\s][^@?#\s]*$/, "a URL such as https://example.org/v1")(
    name,
    URL.canParse(String(value)) && value
  ).replace(/(?<!\/)\/+$/, "")
  return new URL(url).pathname.endsWith("/v1") ? url : `${url}/v1`
}

/** Browsers have a name of their own; they are where scripts have a `location`. */
const own: Readonly<Record<string, string>> =
  "location" in globalThis ? {} : { "user-agent": "petstore-http-client/1.0.0" }

/** What the client, `fetch` or the connection sets; that of an idempotency key is an option. */
const reserved = /^(authorization|content-\w+|idempotency-key|host|connection|transfer-encoding)$/i

/** Headers, and further ones that replace those of the same name; throws if one cannot be set. */
export const withHeaders = (
  url: string,
  headers: Headers | Readonly<Record<string, string>>,
  further: Readonly<Record<string, string>> = {}
): Headers => {
  try {
    // Those of a request, as browsers leave out what scripts may not set.
    const all = new Request(url, { headers }).headers
    for (const [name, value] of Object.entries(further)) {
      all.set(name, value)
      if (reserved.test(name) || !all.has(name)) throw new Error(`${name} cannot be set`)
    }
    return all
  } catch (cause) {
    return refuse("headers", `be valid: ${reasonOf(cause)}`)
  }
}
