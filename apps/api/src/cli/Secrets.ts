/** What may be shown of a value that may be secret. */

export const secret = (): string => "***"

/** Shows a value that has no reason to hold a secret. */
export const plain = (text: string): string => (text.includes("@") ? secret() : text)

// What follows the host holds no @: a special character in a password that is not encoded would end the host early.
const url = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#\s]*@)?([\w.,:%[\]-]*)(\/[^@?#\s]*)?(\?[^@#\s]*)?$/i

/** The scheme, host, port and path of a URL. All else may be secret, and so may any other text but a plain word or path. */
export const publicUrl = (text: string): string => {
  const [, scheme, user, host, path = "", query] = url.exec(text) ?? []
  if (scheme === undefined) return /^[\w./-]*$/.test(text) ? text : secret()
  return `${scheme}${user === undefined ? "" : "***@"}${host}${path}${query === undefined ? "" : "?***"}`
}
