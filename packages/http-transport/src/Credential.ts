/** What callers authenticate with, in the words of messages and of the OpenAPI document. */

/** A kind of bearer token. */
export interface Credential {
  /** Its name, such as `API key`. */
  readonly name: string
  /** What it is called once it has been named, such as `key`. */
  readonly word: string
  /** The name of its security scheme in the OpenAPI document. */
  readonly scheme: string
}

/** Any bearer token, such as a JWT. */
export const accessToken: Credential = { name: "access token", word: "token", scheme: "bearer" }

/** Keys that a service issues. */
export const apiKey: Credential = { name: "API key", word: "key", scheme: "apiKey" }

/** The message for a caller without one. */
export const required = ({ name, word }: Credential): string =>
  `${/^[aeiou]/i.test(name) ? "an" : "a"} ${name} is required: send the header Authorization: Bearer <${word}>`

/** The message for a caller whose credential does not allow an operation. */
export const lacksScope = ({ name }: Credential, scope: string | undefined): string =>
  `the ${name} lacks the scope ${scope}`

/** Why callers cannot be authenticated now. */
export const unreadable = ({ name }: Credential): string => `the ${name}s cannot be read`
