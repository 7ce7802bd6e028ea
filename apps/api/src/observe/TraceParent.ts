/** The `traceparent` header of W3C Trace Context. */
import type { Exchange } from "@petstore/http-server/Observer"

/** The trace and the span that a request belongs to. */
export interface TraceParent {
  readonly traceId: string
  readonly spanId: string
  readonly isSampled: boolean
}

// Only versions after 00 may have more at the end.
const pattern =
  /^(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/

/** The valid `traceparent` of a request, if it has one. */
export const parse = ({ headers }: Exchange["request"]): TraceParent | undefined => {
  const header = headers["traceparent"]
  if (typeof header !== "string") return undefined
  const [, traceId = "", spanId = "", flags = ""] = pattern.exec(header) ?? []
  return traceId === ""
    ? undefined
    : { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}
