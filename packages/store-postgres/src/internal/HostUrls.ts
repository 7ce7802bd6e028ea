/** The hosts of a URL, as libpq has them. */
import * as Arr from "effect/Array"

/** What `target_session_attrs` may be. */
const attributes = ["any", "read-write", "primary"]

/**
 * Splits `postgres://a:5432,b:5433/pets` or `postgres:///pets?host=a,b&port=5432,5433` into the URLs of its hosts, and
 * finds the attribute that says which of them to use. Throws if it is invalid.
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
  const attribute = listOf(after, "target_session_attrs")[0] ?? (count > 1 ? "read-write" : "any")
  if (!attributes.includes(attribute)) {
    const hint =
      attribute === "prefer-standby" ? "; reads on standbys are gone: use read-write" : ""
    throw new Error(`target_session_attrs must be one of ${attributes.join(", ")}${hint}`)
  }
  return { urls, attribute }
}

// The user and the password may hold commas; an @ in them is the last one before the path.
const parts = /^([^/]*\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s

const parameter = (name: string) => new RegExp(`(?<=[?&]${name}=)[^&#]*`)

/** The values of a parameter with commas between them. */
const listOf = (query: string, name: string): ReadonlyArray<string> =>
  parameter(name).exec(query)?.[0].split(/,|%2C/i) ?? []

const replaced = (query: string, name: string, value: string | undefined): string =>
  value === undefined ? query : query.replace(parameter(name), () => value)
