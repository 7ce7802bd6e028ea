/** What an answer says besides its result: its error, its headers, and that the operation is deprecated. */
import * as Errors from "../Errors.ts"
import type { Deprecation } from "../Options.ts"
import { service } from "./Service.ts"

/** What the headers say about an error. */
export const factsOf = ({ headers, status }: Response) => ({
  status,
  requestId: headers.get("x-request-id") ?? undefined,
  retryAfter: secondsOf(headers.get("retry-after") ?? "")
})

/** `Retry-After` is a number of seconds or a date. */
const secondsOf = (text: string): number | undefined => {
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(seconds, 0)
}

/** The error that an answer describes. Gateways answer some statuses themselves, with bodies of their own. */
export const errorOf = (
  text: string,
  facts: ReturnType<typeof factsOf>
): Errors.Failure<string> => {
  const { status } = facts
  const { code, message = `the service answered with status ${status}` } = bodyOf(text)
  const Known = Errors.errorClasses.find((known) => known.code === code) ?? byStatus(status)
  if (Known) return new Known(message, facts)
  if (code !== undefined) return new Errors.UnknownError(`${code}: ${message}`, facts)
  // Browsers show redirects with status 0.
  const why = status < 400 ? "a redirect, which is not followed" : `not the error of ${service}`
  return new Errors.InvalidAnswer(`${message}, ${why}`, facts)
}

/** The class of a failure that passes by itself, by the status of the answer. */
export const byStatus = (status = 0) => {
  if (status === 429) return Errors.RateLimited
  return status >= 502 && status <= 504 ? Errors.Unavailable : undefined
}

/** The strings of an error's body. */
const bodyOf = (text: string): Readonly<Record<string, string | undefined>> => {
  try {
    return Object(
      JSON.parse(text, (name, value) => (name && typeof value !== "string" ? undefined : value))
    )
  } catch {
    return {}
  }
}

/** That the operation is deprecated, if the headers say so. */
export const deprecationOf = (operation: string, headers: Headers): Deprecation | undefined => {
  const [, seconds] = /^@(\d+)$/.exec(headers.get("deprecation") ?? "") ?? []
  const since = dateOf(Number(seconds) * 1000)
  const sunset = dateOf(Date.parse(headers.get("sunset") ?? ""))
  return (since ?? sunset) && { operation, since, sunset }
}

/** The date, unless it is none or later than dates can be. */
const dateOf = (millis: number): Date | undefined =>
  millis <= 8.64e15 ? new Date(millis) : undefined
