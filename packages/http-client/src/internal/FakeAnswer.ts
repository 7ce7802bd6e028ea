/** The answers of the fake. */
import type { ErrorCode } from "../Errors.ts"
import { reasonOf } from "./Checks.ts"

/** The status of each code of the contract. */
export const errorStatuses = {
  malformed_json: 400,
  invalid_body: 400,
  invalid_parameter: 400,
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  pet_not_found: 404,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  gone: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  rate_limited: 429,
  headers_too_large: 431,
  internal_error: 500,
  unavailable: 503
} as const satisfies Readonly<Record<ErrorCode, number>>

/** An answer in JSON, without the headers that all answers have. */
export const answer = (
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {}
): Response => {
  const length = String(new TextEncoder().encode(body).length)
  const own = { "content-type": "application/json", "content-length": length }
  return new Response(body, { status, headers: { ...headers, ...own } })
}

/** The answer with an error. */
export const refuse = (
  code: ErrorCode,
  message: string,
  headers?: Readonly<Record<string, string>>
): Response => {
  const status = errorStatuses[code]
  const body = JSON.stringify({ code, message, status })
  return answer(status, body, { ...headers, "cache-control": "no-store" })
}

/** The answer to a request, as `fetch` returns it. */
export const complete = (answer: Response, { headers, method }: Request): Response => {
  const [id = `fake-${crypto.getRandomValues(new Uint32Array(1))}`] =
    /^[\w.-]{1,64}$/.exec(headers.get("x-request-id") ?? "") ?? []
  answer.headers.set("x-request-id", id)
  answer.headers.set("x-content-type-options", "nosniff")
  return method === "HEAD" ? new Response(null, answer) : answer
}

/** The message of what a check throws, or nothing. */
export const complaintOf = (check: () => unknown): string => {
  try {
    check()
    return ""
  } catch (error) {
    return reasonOf(error)
  }
}
