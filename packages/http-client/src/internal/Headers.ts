/** The headers of a request. */
import { InvalidInput } from "../Errors.ts"
import { reasonOf } from "./Checks.ts"

/** What the client, `fetch` or the connection sets; that of an idempotency key is an option of creates. */
const reserved = /^(authorization|content-\w+|idempotency-key|host|connection|transfer-encoding)$/i

/** Who sends. Browsers have a name of their own; they are where scripts have a `location`. */
export const userAgent: Readonly<Record<string, string>> =
  "location" in globalThis ? {} : { "user-agent": "petstore-http-client/1.0.0" }

/** Headers, and further ones that replace those of the same name; throws if one cannot be set. */
export const withHeaders = (
  url: string,
  headers: Headers | Readonly<Record<string, string>>,
  further: Readonly<Record<string, string>> = {}
): Headers => {
  try {
    // Those of a request, as browsers leave out what scripts may not set.
    const all = new Request(url, { headers }).headers
    for (const [name, value] of Object.entries(further)) {
      all.set(name, value)
      if (reserved.test(name) || !all.has(name)) throw new Error(`${name} cannot be set`)
    }
    return all
  } catch (cause) {
    throw new InvalidInput(`headers must be valid: ${reasonOf(cause)}`, { cause })
  }
}
