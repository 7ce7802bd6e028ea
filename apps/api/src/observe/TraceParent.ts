/** The `traceparent` header of W3C Trace Context. */
import type { Exchange } from "@petstore/http-transport/Observer"
import * as Tracer from "effect/Tracer"

// Only versions after 00 may have more at the end.
const pattern =
  /^(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/

/** The span that a request belongs to by its `traceparent`, if that is valid. */
export const parse = ({ headers }: Exchange["request"]): Tracer.ExternalSpan | undefined => {
  const [, traceId, spanId = "", flags = ""] = pattern.exec(String(headers["traceparent"])) ?? []
  if (traceId === undefined) return undefined
  return Tracer.externalSpan({ traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 })
}
