/** What an answer says besides its result: its error, and the facts of its headers. */
import { commonCodes } from "../Errors.ts"
import { type Failure, fail } from "../Failure.ts"

/** What the headers say about an error. */
export const factsOf = ({ headers, status }: Response) => ({
  status,
  headers,
  requestId: headers.get("x-request-id") ?? undefined,
  retryAfter: secondsOf(headers.get("retry-after") ?? "")
})

/** `Retry-After` is a number of seconds or a date; one that has passed asks for nothing. */
const secondsOf = (text: string): number | undefined => {
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return seconds >= 0 ? seconds : undefined
}

/** The error that an answer describes. Gateways answer some statuses themselves, with bodies of their own. */
export const errorOf = (
  text: string,
  facts: ReturnType<typeof factsOf>,
  own: ReadonlyArray<string>,
  invalid: (reason: string) => Failure<string>
): Failure<string> => {
  const { status } = facts
  const { code, message = `status ${status}` } = bodyOf(text)
  const known = [...commonCodes, ...own].find((one) => one === code) ?? byStatus(status)
  if (known) return fail(known, message, facts)
  if (code !== undefined) return fail("unknown_error", `${code}: ${message}`, facts)
  // Browsers show redirects with status 0.
  return invalid(status < 400 ? `${message}, a redirect` : message)
}

/** The code of a failure that passes by itself, by the status of the answer. */
export const byStatus = (status = 0) => {
  if (status === 429) return "rate_limited"
  return status >= 502 && status <= 504 ? "unavailable" : undefined
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
