/** Lets web pages of other origins call the service (CORS). */
import type { Exchange } from "../exchange/Exchange.ts"
import type { Reply } from "../exchange/Reply.ts"

const exposed = [
  ...["Link", "Location", "X-Request-Id", "Retry-After", "Deprecation", "Sunset"],
  ...["RateLimit", "RateLimit-Policy", "ETag", "Idempotent-Replayed"]
].join(", ")
const allowedHeaders =
  "Authorization, Content-Type, X-Request-Id, Idempotency-Key, If-None-Match, traceparent"
const maxAgeSeconds = "7200"

/** Adds the headers of CORS to an answer. Returns the answer if the request is a preflight. */
export const make = (origins: ReadonlyArray<string>, methods: ReadonlyArray<string>) => {
  if (origins.length === 0) return () => undefined
  const allowedMethods = [...new Set(methods)].join(", ")
  return (exchange: Exchange): Reply | undefined => {
    const { headers, method } = exchange.request
    const { origin } = headers
    exchange.headers = [["Vary", "Origin"]]
    if (origin === undefined) return undefined
    const allowed = origins.includes("*") ? "*" : origins.find((known) => known === origin)
    if (allowed === undefined) return undefined
    exchange.headers = [...exchange.headers, ["Access-Control-Allow-Origin", allowed]]
    const isPreflight =
      method === "OPTIONS" && headers["access-control-request-method"] !== undefined
    if (!isPreflight) {
      exchange.headers = [...exchange.headers, ["Access-Control-Expose-Headers", exposed]]
      return undefined
    }
    return {
      status: 204,
      headers: [
        ["Access-Control-Allow-Methods", allowedMethods],
        ["Access-Control-Allow-Headers", allowedHeaders],
        ["Access-Control-Max-Age", maxAgeSeconds]
      ]
    }
  }
}
