/** The hosts of a URL, as libpq has them. */
import * as Arr from "effect/Array"

/**
 * Splits `postgres://a:5432,b:5433/pets` or `postgres:///pets?host=a,b&port=5432,5433` into the URLs of its hosts, and
 * says whether to ask them which is the primary. Throws if it is invalid.
 */
export const parse = (url: string) => {
  const [, before = "", authority = url, after = ""] = parts.exec(url) ?? []
  const hosts = authority.split(",")
  const named = listOf(after, "host")
  const ports = listOf(after, "port")
  const count = Math.max(hosts.length, named.length)
  if (ports.length > 1 && ports.length !== count) {
    throw new Error(`it has ${ports.length} ports for ${count} hosts`)
  }
  const urls = Arr.makeBy(count, (nth) => {
    const query = replaced(replaced(after, "host", named[nth]), "port", ports[nth])
    return `${before}${hosts[nth] ?? hosts[0]}${query}`
  })
  // A proxy or a pooler may be behind a single host.
  const attributes = [...(count > 1 ? [] : ["any"]), "read-write", "primary"]
  const [attribute = attributes[0]] = listOf(after, "target_session_attrs")
  if (attribute === undefined || !attributes.includes(attribute)) {
    throw new Error(`target_session_attrs must be one of ${attributes.join(", ")}`)
  }
  return { urls, isAsked: attribute !== "any" }
}

// The user and the password may hold commas; an @ in them is the last one before the path.
const parts = /^([^/]*\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s

const parameter = (name: string) => new RegExp(`(?<=[?&]${name}=)[^&#]*`)

/** The values of a parameter with commas between them. */
const listOf = (query: string, name: string): ReadonlyArray<string> =>
  parameter(name).exec(query)?.[0].split(/,|%2C/i) ?? []

const replaced = (query: string, name: string, value: string | undefined): string =>
  value === undefined ? query : query.replace(parameter(name), () => value)
