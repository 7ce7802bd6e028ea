/** The headers of responses in the OpenAPI document. */
import * as Record from "effect/Record"
import { type Deprecation, deprecationHeaders, type SuccessHeaders } from "../../Annotations.ts"

/** What the headers of an operation depend on. */
export interface Operation {
  readonly realm: string
  /** The prefix of every path. */
  readonly prefix: string
  readonly scope: string | undefined
  readonly deprecation: Deprecation["Type"] | undefined
  readonly successHeaders: SuccessHeaders["Type"]
  /** The methods of its path. */
  readonly allow: string
  /** Whether it only reads, so that callers may ask whether an answer has changed. */
  readonly isRead: boolean
}

/** The tag of an answer. */
export const exampleTag = 'W/"wqXuNqBD8TWGuLEnmeKbVQ"'

const header = (description: string, example: string | undefined, required = true) => ({
  description,
  required,
  schema: { type: "string" },
  example
})

type Headers = Readonly<Record<string, ReturnType<typeof header>>>

const everywhere = {
  "X-Request-Id": header("The caller's request id, or a new one", "0f6d3a1c9b2e-1k"),
  "X-Content-Type-Options": header("Always `nosniff`", "nosniff"),
  "RateLimit-Policy": header(
    "The rate limit of the key, if there is one: `q` requests every `w` seconds",
    '"key";q=600;w=60',
    false
  ),
  RateLimit: header(
    "How many requests are left (`r`), and in how many seconds the limit resets (`t`)",
    '"key";r=599;t=60',
    false
  )
}
const onError = { "Cache-Control": header("Always `no-store`", "no-store") }
const onSuccess = ({ isRead, successHeaders }: Operation) => ({
  ...Record.map(successHeaders, ({ description, example, required = true }) =>
    header(description, example, required)
  ),
  ...(isRead && { ETag: header("Identifies the answer, for `If-None-Match`", exampleTag) })
})
const challenge = (example: string) => ({
  "WWW-Authenticate": header("How to authenticate (RFC 6750)", example)
})
const retry = (seconds: string) => ({
  "Retry-After": header("How many seconds to wait before the next try", seconds)
})
const onStatus = ({ allow, realm, scope }: Operation): Readonly<Record<number, Headers>> => ({
  401: challenge(`Bearer realm="${realm}"`),
  403: challenge(`Bearer realm="${realm}", error="insufficient_scope", scope="${scope}"`),
  405: { Allow: header("The methods that the path has", allow) },
  429: retry("12"),
  503: retry("1")
})
const announcing = (status: number, { deprecation, prefix }: Operation): Headers => {
  if (deprecation === undefined || ![200, 304, 404, 410].includes(status)) return {}
  const { Deprecation, Link, Sunset } = deprecationHeaders(deprecation, prefix)
  return {
    Deprecation: header("Since when the operation is deprecated (RFC 9745)", Deprecation),
    Sunset: header("When the operation is removed (RFC 8594)", Sunset),
    Link: header("What replaces the operation", Link)
  }
}

/** The headers of a response with this status. */
export const make = (status: number, operation: Operation): Headers => ({
  ...everywhere,
  ...(status < 400 ? onSuccess(operation) : onError),
  ...onStatus(operation)[status],
  ...announcing(status, operation)
})
