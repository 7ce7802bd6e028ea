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

/** An answer, without what all answers have. */
export interface Answer {
  readonly status: number
  /** JSON; nothing if there is no body. */
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The answer with an error. */
export const refuse = (
  code: ErrorCode,
  message: string,
  headers?: Readonly<Record<string, string>>
): Answer => {
  const status = errorStatuses[code]
  const body = JSON.stringify({ code, message, status })
  return { status, body, headers: { ...headers, "cache-control": "no-store" } }
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

/** The answer, as `fetch` returns it. */
export const toResponse = (
  { body, headers, status }: Answer,
  { headers: sent, method }: Request
) => {
  const [id = `fake-${crypto.getRandomValues(new Uint32Array(1))}`] =
    /^[\w.-]{1,64}$/.exec(sent.get("x-request-id") ?? "") ?? []
  return new Response(method === "HEAD" ? null : (body ?? null), {
    status,
    headers: {
      ...headers,
      ...(body !== undefined && {
        "content-type": "application/json",
        "content-length": String(new TextEncoder().encode(body).length)
      }),
      "x-content-type-options": "nosniff",
      "x-request-id": id
    }
  })
}
