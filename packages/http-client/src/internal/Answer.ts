/** What an answer says besides its result: its error, its headers, and that the operation is deprecated. */
import * as Errors from "../Errors.ts"
import type { Deprecation } from "../Options.ts"
import { fields } from "./Checks.ts"

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
export const errorOf = (text: string, facts: ReturnType<typeof factsOf>): Errors.PetStoreError => {
  const { status } = facts
  const { code, message } = bodyOf(text, status)
  const Known = Errors.errorClasses.find((known) => known.code === code) ?? byStatus(status)
  if (Known !== undefined) return new Known(message, facts)
  return code === ""
    ? new Errors.InvalidAnswer(`${message}, without the error of a Pet Store`, facts)
    : new Errors.UnknownError(`${code}: ${message}`, facts)
}

const byStatus = (status: number) => {
  if (status === 429) return Errors.RateLimited
  return status >= 502 && status <= 504 ? Errors.Unavailable : undefined
}

const bodyOf = (text: string, status: number) => {
  let body: Readonly<Record<string, unknown>> = {}
  try {
    body = fields("the answer", JSON.parse(text))
  } catch {
    // Not JSON, or not an object.
  }
  const { code, message } = body
  return {
    code: typeof code === "string" ? code : "",
    message: typeof message === "string" ? message : `the service answered with status ${status}`
  }
}

/** That the operation is deprecated, if the headers say so. */
export const deprecationOf = (operation: string, headers: Headers): Deprecation | undefined => {
  const [, since] = /^@(\d{1,12})$/.exec(headers.get("deprecation") ?? "") ?? []
  const sunset = Date.parse(headers.get("sunset") ?? "")
  if (since === undefined && Number.isNaN(sunset)) return undefined
  return {
    operation,
    since: since === undefined ? undefined : new Date(Number(since) * 1000),
    sunset: Number.isNaN(sunset) ? undefined : new Date(sunset)
  }
}
