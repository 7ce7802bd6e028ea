/** The options of a client, checked and complete. */
import type { CallLimits, Options } from "../Options.ts"
import { between, matching } from "./Checks.ts"
import { userAgent, withHeaders } from "./Headers.ts"

/** What every call needs. */
export interface Settings extends Omit<Options, "headers" | keyof Limits>, Limits {
  /** The address of the service with its version, without a slash at the end. */
  readonly baseUrl: string
  readonly headers: Headers
  /** The deprecated operations that were reported. */
  readonly reported: Set<string>
}

/** The limits of a call. */
export type Limits = Readonly<Record<keyof CallLimits, number>>

/** The limits of a call: its own, or the given ones. */
export const limitsOf = (call: CallLimits, otherwise: Limits): Limits => ({
  // The longest time that timers can wait.
  timeout: between("timeout", call.timeout ?? otherwise.timeout, 1, 2 ** 31 - 1),
  retries: between("retries", call.retries ?? otherwise.retries, 0, 100)
})

/** Checks the options of a client; throws if one is invalid. */
export const settingsOf = (options: Options): Settings => {
  if (typeof options.apiKey !== "function") keyOf(options.apiKey)
  const baseUrl = baseUrlOf(options.baseUrl)
  return {
    ...options,
    ...limitsOf(options, { timeout: 30_000, retries: 2 }),
    baseUrl,
    headers: withHeaders(baseUrl, userAgent, options.headers),
    reported: new Set()
  }
}

/** An API key; throws if it cannot be one. */
export const keyOf = (text: unknown): string =>
  matching("apiKey", text, /^[!-~]+$/, "an API key without spaces")

/** The address with the version, if it lacks one; a host may be called v1, too. */
const baseUrlOf = (text: string): string =>
  matching(
    "baseUrl",
    URL.canParse(text) && text,
    /^https?:\/\/[^/@?#\s][^@?#\s]*$/,
    "a URL such as https://pets.example.org/v1"
  )
    .replace(/(?<!\/)\/+$/, "")
    .replace(/(?<!^\w+:\/)(\/v1)?$/, "/v1")
