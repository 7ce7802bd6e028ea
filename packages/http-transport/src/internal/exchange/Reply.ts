/** An answer: status, headers and body. */

import * as Exit from "effect/Exit"
import * as ErrorBody from "../../ErrorBody.ts"

/** A header. */
export type Header = readonly [name: string, value: string]

/** Headers, in the order in which they are sent. */
export type Headers = ReadonlyArray<Header>

/** An answer that is ready to be sent. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  /** Absent in an answer without content. */
  readonly body?: Body | undefined
  /** Why the service could not do what was asked; for the log, not for the caller. */
  readonly cause?: unknown
  /** What the caller is told, if it is refused. */
  readonly error?: ErrorBody.ErrorBody
}

/** The content of an answer, and the headers that describe it. */
export interface Body {
  readonly content: string | Uint8Array
  readonly bytes: number
  readonly headers: Headers
  /** Whether it is in memory anyway, so that sending it takes no more. */
  readonly isKept?: boolean
  /** Identifies the content, if callers may ask whether it has changed. */
  readonly digest?: string
}

/** Content of this type. */
export const body = (type: string, content: string | Uint8Array): Body => {
  const bytes = Buffer.byteLength(content)
  const headers: Headers = [
    ["Content-Type", type],
    ["Content-Length", String(bytes)]
  ]
  return { content, bytes, headers }
}

/** No content, where a status may have some: without a length, Node would send it in chunks. */
export const empty: Body = { content: "", bytes: 0, headers: [["Content-Length", "0"]] }

/** Content that is a JSON text. */
export const json = (text: string): Body => body("application/json", text)

const noStore: Header = ["Cache-Control", "no-store"]

/** An error of the contract, with the headers that its status always carries. */
export const error = (
  error: ErrorBody.ErrorBody,
  headers: Headers = [],
  retryAfter = 1
): Reply => ({
  status: error.status,
  headers:
    error.status === 503
      ? [noStore, ["Retry-After", String(retryAfter)], ...headers]
      : [noStore, ...headers],
  body: json(JSON.stringify(error)),
  error
})

/** An error made of its code and message. */
export const refuse = (code: ErrorBody.ErrorCode, message: string, headers?: Headers): Reply =>
  error(ErrorBody.make(code, message), headers)

/** Fails with such an error. */
export const fail = (code: ErrorBody.ErrorCode, message: string, headers?: Headers) =>
  Exit.fail(refuse(code, message, headers))
