/** What goes back to a caller: a status, some headers and a body. */
import * as ErrorBody from "@petstore/http-contract/ErrorBody"

/** An answer that is ready to be sent. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Nothing for an answer without content. */
  readonly body?: { readonly type: string; readonly content: string }
  /** For the log, not for the caller: why the service could not do as it was asked. */
  readonly cause?: unknown
}

const none = {}

/** A JSON text. */
export const json = (status: number, content: string, headers: Reply["headers"] = none): Reply => ({
  status,
  headers,
  body: { type: "application/json", content }
})

/** An error of the contract, with the headers that its status always carries. */
export const error = (body: ErrorBody.ErrorBody, headers: Reply["headers"] = none): Reply =>
  json(body.status, JSON.stringify(body), {
    "Cache-Control": "no-store",
    ...(body.status === 503 ? { "Retry-After": "1" } : none),
    ...headers
  })

/** An error made of its code and message. */
export const refuse = (
  code: ErrorBody.ErrorCode,
  message: string,
  headers?: Reply["headers"]
): Reply => error(ErrorBody.make(code, message), headers)

/** The same answer with more headers. */
export const withHeaders = (reply: Reply, headers: Reply["headers"]): Reply => ({
  ...reply,
  headers: { ...reply.headers, ...headers }
})
