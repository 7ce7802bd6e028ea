/** Removes secrets from what callers send, before it is logged or traced: keys end up in the oddest places. */
import { withoutSecrets } from "@petstore/access/KeyText"
import * as Redacted from "effect/Redacted"
import { withoutPassword } from "../Setting.ts"

/** The text without secrets, also without those that are percent-encoded. */
export type Mask = (text: string) => string

/** Removes the secrets of issued keys, these keys, and passwords of URLs. */
export const make = (keys: ReadonlyArray<Redacted.Redacted>): Mask => {
  const texts = keys.map(Redacted.value)
  return (text) => {
    const plain = text.replaceAll(/%([0-7][0-9a-f])/gi, (_, code) =>
      String.fromCharCode(Number.parseInt(code, 16))
    )
    const masked = texts.reduce(
      (rest, key) => rest.replaceAll(key, "***"),
      withoutSecrets(/^[a-z][a-z0-9+.-]*:/i.test(plain) ? withoutPassword(plain) : plain)
    )
    return masked === plain ? text : masked
  }
}
