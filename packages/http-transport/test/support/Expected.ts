/** What a response must be, to the last byte. */
import { expect } from "vitest"
import { statuses } from "./Conformance.ts"
import type { Response } from "./Response.ts"

/** A response: its header lines in any order and without `Date`, its body as it is. */
export interface Expected {
  readonly status: number
  readonly headers: ReadonlyArray<string>
  readonly body: string
}

/** Stands for a request id that the service makes. */
const anyId = "X-Request-Id: (new)"
/** Stands for the tag of what was read. */
const anyTag = 'ETag: W/"(tag)"'
const always = [anyId, "X-Content-Type-Options: nosniff"]
const keptAlive = ["Connection: keep-alive", "Keep-Alive: timeout=5"]
const closed = ["Connection: close"]

/** A JSON answer on a connection that stays open. */
export const answer = (
  status: number,
  body: string,
  headers: ReadonlyArray<string> = []
): Expected => ({
  status,
  headers: [
    ...always,
    ...keptAlive,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers
  ],
  body
})

/** What was read. */
export const found = (body: string, headers: ReadonlyArray<string> = []): Expected =>
  answer(200, body, [anyTag, ...headers])

/** The answer to a caller that has this: the same headers, without those of the content. */
export const unchanged = ({ headers }: Expected): Expected => ({
  status: 304,
  headers: headers.filter((line) => !line.startsWith("Content-")),
  body: ""
})

/** Errors whose codes have these statuses. */
export const refusals =
  <Code extends string>(statuses: Readonly<Record<Code, number>>) =>
  (code: Code, message: string, headers: ReadonlyArray<string> = []): Expected => {
    const status = statuses[code]
    return answer(status, JSON.stringify({ code, message, status }), [
      "Cache-Control: no-store",
      ...headers
    ])
  }

/** An error that any API has. */
export const refusal = refusals(statuses)

/** The answers to callers whose keys do not suffice. */
export const challenges = (realm: string) => {
  const challenge = `WWW-Authenticate: Bearer realm="${realm}"`
  return {
    /** To a caller without a key. */
    noKey: refusal(
      "unauthorized",
      "an API key is required: send the header Authorization: Bearer <key>",
      [challenge]
    ),
    /** To a key that is not known. */
    wrongKey: refusal("unauthorized", "the API key is not valid", [
      `${challenge}, error="invalid_token"`
    ]),
    /** To a key that may not do this. */
    forbidden: (scope: string): Expected =>
      refusal("forbidden", `the API key lacks the scope ${scope}`, [
        `${challenge}, error="insufficient_scope", scope="${scope}"`
      ])
  }
}

/** The answers of the fixture. */
export const { forbidden, noKey, wrongKey } = challenges("things")

/** The headers that announce the removal of an operation. */
export const deprecation = [
  "Deprecation: @1794614400",
  "Sunset: Thu, 05 Dec 2030 00:00:00 GMT",
  'Link: </v1/things>; rel="successor-version"'
]

const missing = refusals({ thing_not_found: 404 })

/** The answer to an id that is none. */
export const noId = missing("thing_not_found", "thingId must be a 64-bit integer", deprecation)

/** The answer to an unknown id. */
export const noThing = (id: string): Expected =>
  missing("thing_not_found", `there is no thing ${id}`, deprecation)

/** The answer at a path that does not exist. */
export const notFound = refusal("not_found", "there is nothing at this path")

/** The answer to a method that a path does not have. */
export const notAllowed = (allow: string): Expected =>
  refusal("method_not_allowed", `this path answers ${allow}`, [`Allow: ${allow}`])

/** The answer to OPTIONS. */
export const options = (allow: string): Expected => ({
  status: 204,
  headers: [...always, ...keptAlive, `Allow: ${allow}`],
  body: ""
})

/** The answer to a bad query. */
export const invalidParameter = (message: string): Expected => refusal("invalid_parameter", message)

/** The answer to a body that is no such thing. */
export const invalidBody = (message: string): Expected => refusal("invalid_body", message)

/** The answer to a body that is no JSON. */
export const malformed = (message: string): Expected => refusal("malformed_json", message)

/** The answer to a body in another form than JSON. */
export const wrongType = refusal(
  "unsupported_media_type",
  "the Content-Type must be application/json"
)

/** The answer to what was added to a collection: these fields after its id. */
export const createdAt =
  (path: string) =>
  (fields: string) =>
  (id: number): Expected =>
    answer(201, `{"id":${id},${fields}}`, [`Location: ${path}/${id}`])

/** The answer to a thing that was added. */
export const created = createdAt("/v1/things")

/** The answer that HEAD gets where GET gets this one. */
export const toHead = (expected: Expected): Expected => ({ ...expected, body: "" })

/** The same answer, after which the connection closes. */
export const closing = (expected: Expected): Expected => ({
  ...expected,
  headers: [...expected.headers.filter((line) => !keptAlive.includes(line)), ...closed]
})

/** The same answer with the caller's own request id. */
export const withId = (expected: Expected, id: string): Expected => ({
  ...expected,
  headers: expected.headers.map((line) => (line === anyId ? `X-Request-Id: ${id}` : line))
})

/** Fails unless the response is exactly this one. */
export const expectResponse = (response: Response, expected: Expected): void => {
  const echoed = expected.headers.every((line) => line !== anyId)
  const headers = response.headers
    .filter(([name]) => name !== "Date")
    .map(([name, value]) => (name === "X-Request-Id" && !echoed ? anyId : `${name}: ${value}`))
    .map((line) => line.replace(/^(ETag: W)\/"[\w-]{22}(?:\.\w{1,7})?"$/, '$1/"(tag)"'))
  expect({ status: response.status, body: response.body, headers: headers.sort() }).toEqual({
    status: expected.status,
    body: expected.body,
    headers: [...expected.headers].sort()
  })
}
