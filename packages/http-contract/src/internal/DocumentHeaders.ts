/** The headers of responses in the OpenAPI document. */

import type { Place } from "./Examples.ts"

/** A header: what it says, and an example of it. */
export interface Header {
  readonly description: string
  readonly example: string
}

const header = (description: string, example: string, required = true) => ({
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
    "The rate limit of the key, if there is one: so many requests (`q`) in so many seconds (`w`)",
    '"key";q=600;w=60',
    false
  ),
  RateLimit: header(
    "How many requests are left (`r`), and in how many seconds the limit starts anew (`t`)",
    '"key";r=599;t=60',
    false
  )
}
const onEveryError = { ...everywhere, "Cache-Control": header("Always `no-store`", "no-store") }
const challenge = (example: string) => ({
  "WWW-Authenticate": header("How to authenticate (RFC 6750)", example)
})
const retry = (seconds: string) => ({
  "Retry-After": header("How many seconds to wait before the next try", seconds)
})
const onStatus = ({ allow, scope }: Place): Readonly<Record<number, Headers>> => ({
  401: challenge('Bearer realm="petstore"'),
  403: challenge(`Bearer realm="petstore", error="insufficient_scope", scope="${scope}"`),
  405: { Allow: header("The methods that the path has", allow) },
  429: retry("12"),
  503: retry("1")
})
const ifDeprecated: Headers = {
  Deprecation: header("Since when the operation is deprecated (RFC 9745)", "@1794614400"),
  Sunset: header("When the operation is removed (RFC 8594)", "Thu, 05 Dec 2030 00:00:00 GMT"),
  Link: header("What replaces the operation", '</v1/pets>; rel="successor-version"')
}
const announcing = (status: number, isDeprecated: boolean): Headers =>
  isDeprecated && [200, 404, 410].includes(status) ? ifDeprecated : {}

/** The headers of a success, its own included. */
export const ofSuccess = (
  status: number,
  own: Readonly<Record<string, Header>>,
  isDeprecated: boolean
): Headers => ({
  ...everywhere,
  ...Object.fromEntries(
    Object.entries(own).map(([name, { description, example }]) => [
      name,
      // A list has a Link only while more pages follow.
      header(description, example, name !== "Link")
    ])
  ),
  ...announcing(status, isDeprecated)
})

/** The headers of an error. */
export const ofError = (status: number, place: Place, isDeprecated: boolean): Headers => ({
  ...onEveryError,
  ...onStatus(place)[status],
  ...announcing(status, isDeprecated)
})
