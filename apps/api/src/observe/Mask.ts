/** Removes secrets from what is logged or traced: callers put keys where they do not belong. */
import * as KeyText from "@petstore/access/KeyText"
import * as Redacted from "effect/Redacted"
import { publicUrl } from "../cli/Secrets.ts"

export type Mask = (text: string) => string

// What follows the scheme of a URL. In JSON a quotation mark ends it, unless it is escaped.
const urls = /:\/\/(?!\/)(?:\\.|[^\s"\\])+/g

/** Of any scheme. A semicolon at the end is that of the sentence. */
const publicRest = (rest: string): string => {
  const url = rest.replace(/;$/, "")
  return publicUrl(`x${url}`).replace(/^x/, "") + rest.slice(url.length)
}

/** Removes the secrets of issued keys, these keys, and what may be secret in URLs. */
export const make = (keys: ReadonlyArray<Redacted.Redacted>): Mask => {
  const withoutKeys = KeyText.mask(keys.map(Redacted.value))
  return (text) => {
    const rest = withoutKeys(text)
    return rest.includes("://") ? rest.replace(urls, publicRest) : rest
  }
}
