/** Content that rarely changes: compressed on request, and not sent again to callers that have it. */
import { gzipSync } from "node:zlib"
import * as Effect from "effect/Effect"
import * as EntityTag from "../exchange/EntityTag.ts"
import type { Exchange } from "../exchange/Exchange.ts"
import * as Reply from "../exchange/Reply.ts"

/** Content that rarely changes. */
export interface StaticContent {
  readonly type: string
  /** Identifies the content, however it is encoded. */
  readonly tag: string
  readonly headers: Reply.Headers
  readonly plain: Effect.Effect<Uint8Array>
  readonly gzip: Effect.Effect<Uint8Array>
}

/** A text that callers must revalidate before they use it again. */
export const text = (type: string, text: string, headers: Reply.Headers = []): StaticContent => {
  const gzip = gzipSync(text)
  return {
    type,
    tag: EntityTag.make(EntityTag.digest(text)),
    headers: [["Cache-Control", "no-cache"], ...headers],
    plain: Effect.succeed(Buffer.from(text)),
    gzip: Effect.succeed(gzip)
  }
}

/** The answer to a request for the content: all of it, or 304 if the caller has it already. */
export const answer =
  ({ request }: Exchange) =>
  ({ gzip, plain, tag, type, ...content }: StaticContent): Effect.Effect<Reply.Reply> => {
    const headers: Reply.Headers = [["ETag", tag], ["Vary", "Accept-Encoding"], ...content.headers]
    if (EntityTag.isKnown(tag, request.headers["if-none-match"]))
      return Effect.succeed({ status: 304, headers })
    const isCompressed = gzipAccepted.test(String(request.headers["accept-encoding"] ?? ""))
    return Effect.map(isCompressed ? gzip : plain, (bytes) => ({
      status: 200,
      headers: isCompressed ? [...headers, ["Content-Encoding", "gzip"]] : headers,
      body: { ...Reply.body(type, bytes), isKept: true }
    }))
  }

/** `gzip` in `Accept-Encoding`, unless its quality is 0. */
const gzipAccepted = /(?:^|,)\s*gzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i
