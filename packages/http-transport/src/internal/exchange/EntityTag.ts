/** Tags that identify answers (`ETag`), so that content is not sent again to callers that have it. */
import { hash } from "node:crypto"
import type { Headers } from "./Reply.ts"

/** Identifies content. */
export const digest = (content: string | Uint8Array): string =>
  hash("sha256", content, "base64url").slice(0, 22)

/**
 * The tag of content with these headers, however it is encoded. So it is a weak one: a strong one would differ for
 * each encoding, and proxies that compress make it weak anyway.
 */
export const make = (digest: string, headers: Headers = []): string =>
  headers.length === 0 ? `W/"${digest}"` : `W/"${digest}.${sumOf(headers)}"`

/** Differs, most likely, for other headers: a page that gets a next one is another page. */
const sumOf = (headers: Headers): string => {
  let sum = 0
  for (const [name, value] of headers) {
    const text = name + value
    for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193)
  }
  return (sum >>> 0).toString(36)
}

/** Whether `If-None-Match` has the tag; tags are compared as weak ones. */
export const isKnown = (tag: string, header: string | undefined): boolean =>
  header !== undefined &&
  (header.trim() === "*" ||
    (header.match(/"[^"]*"/g) ?? []).some((opaque) => opaque === tag.slice("W/".length)))
