/** The options of a client, checked and complete. */
import type { CallLimits, Deprecation, Fetch, Options } from "../Options.ts"
import { between, matching } from "./Checks.ts"

/** What every call needs. */
export interface Settings extends Required<Limits> {
  /** The address of the service with its version, without a slash at the end. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly fetch: Fetch
  /** Reports a deprecated operation, the first time. */
  readonly reportDeprecated: (deprecation: Deprecation) => void
}

/** The limits of a call. */
export interface Limits {
  readonly timeout: number
  readonly retries: number
}

const defaults: Limits = { timeout: 30_000, retries: 2 }

/** The limits of a call: its own, or the given ones. */
export const limitsOf = (call: CallLimits, otherwise: Limits): Limits => ({
  // The longest time that timers can wait.
  timeout: between("timeout", call.timeout ?? otherwise.timeout, 1, 2 ** 31 - 1),
  retries: between("retries", call.retries ?? otherwise.retries, 0, 100)
})

/** Checks the options of a client; throws if one is invalid. */
export const settingsOf = (options: Options): Settings => {
  const { fetch = (url, init) => globalThis.fetch(url, init), onDeprecated } = options
  const reported = new Set<string>()
  return {
    ...limitsOf(options, defaults),
    baseUrl: baseUrlOf(options.baseUrl),
    apiKey: matching("apiKey", options.apiKey, /^[\x21-\x7e]+$/, "an API key without spaces"),
    fetch,
    reportDeprecated: (deprecation) => {
      if (reported.has(deprecation.operation)) return
      reported.add(deprecation.operation)
      onDeprecated?.(deprecation)
    }
  }
}

const baseUrlOf = (text: unknown): string => {
  const what = "a URL such as https://pets.example.org/v1"
  const url = matching("baseUrl", text, /^https?:\/\/[^/@?#\s][^@?#\s]*$/, what)
  matching("baseUrl", URL.canParse(url) ? url : "", /./, what)
  const trimmed = url.replace(/(?<!\/)\/+$/, "")
  return new URL(trimmed).pathname.endsWith("/v1") ? trimmed : `${trimmed}/v1`
}
