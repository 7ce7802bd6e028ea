/** The options of a client, checked and complete. */
import type { CallLimits, Options } from "../Options.ts"
import { between, matching, reasonOf, refuse } from "./Checks.ts"
import { exampleUrl, userAgent } from "./Service.ts"

/** What every call needs. */
export interface Settings extends Omit<Options, "apiKey" | "headers" | keyof Limits>, Limits {
  /** The address of the service with its version, without a slash at the end. */
  readonly baseUrl: string
  readonly apiKey: string | ((signal: AbortSignal) => string | Promise<string>)
  readonly headers: Headers
  /** The deprecated operations that were reported. */
  readonly reported: Set<string>
}

/** The limits of a call. */
export type Limits = Readonly<Record<keyof CallLimits, number>>

/** The limits of a call: its own, or the given ones. */
export const limitsOf = (call: CallLimits, otherwise: Limits): Limits => {
  const limit = (name: keyof CallLimits, from: number, to: number) =>
    between(from, to)(name, call[name] ?? otherwise[name])
  // The longest time that timers can wait.
  const max = 2 ** 31 - 1
  return {
    timeout: limit("timeout", 1, max),
    retries: limit("retries", 0, 100),
    maxAnswerBytes: limit("maxAnswerBytes", 1, max)
  }
}

/** Checks the options of a client; throws if one is invalid. */
export const settingsOf = (options: Options): Settings => {
  const { apiKey } = options
  if (typeof apiKey !== "function") keyOf(apiKey)
  const baseUrl = baseUrlOf(options.baseUrl)
  return {
    ...options,
    ...limitsOf(options, { timeout: 30_000, retries: 2, maxAnswerBytes: 2 ** 22 }),
    baseUrl,
    headers: withHeaders(baseUrl, own, options.headers),
    reported: new Set()
  }
}

/** An API key; throws if it cannot be one. */
export const keyOf = (text: unknown): string =>
  matching(/^[!-~]+$/, "an API key without spaces")("apiKey", text)

/** The address with the version, if it lacks one; a host may also be called v1. */
const baseUrlOf = (text: string): string =>
  matching(/^https?:\/\/[^/@?#\s][^@?#\s]*$/, `a URL such as ${exampleUrl}`)(
    "baseUrl",
    URL.canParse(text) && text
  )
    .replace(/(?<!\/)\/+$/, "")
    .replace(/(?<!^\w+:\/)(\/v1)?$/, "/v1")

/** Browsers have a name of their own; they are where scripts have a `location`. */
const own: Readonly<Record<string, string>> =
  "location" in globalThis ? {} : { "user-agent": userAgent }

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
