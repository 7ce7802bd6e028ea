/** What a response must be, to the last byte. */
import * as Cursor from "@petstore/http-contract/Cursor"
import { expect } from "vitest"
import { type Code, statuses } from "./Conformance.ts"
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

/** Pets that were read. */
export const found = (body: string, headers: ReadonlyArray<string> = []): Expected =>
  answer(200, body, [anyTag, ...headers])

/** The link of a list to what follows a pet. */
export const link =
  (relation: "next" | "current") =>
  (query: string, after: number | bigint): string =>
    `Link: </v1/pets?${query}&cursor=${Cursor.encode(BigInt(after))}>; rel="${relation}"`

/** Where pets that are added after this one appear. */
export const current = link("current")

/** The answer to a caller that has these pets: the same headers, without those of the content. */
export const unchanged = ({ headers }: Expected): Expected => ({
  status: 304,
  headers: headers.filter((line) => !line.startsWith("Content-")),
  body: ""
})

/** An error. */
export const refusal = (
  code: Code,
  message: string,
  headers: ReadonlyArray<string> = []
): Expected => {
  const status = statuses[code]
  return answer(status, JSON.stringify({ code, message, status }), [
    "Cache-Control: no-store",
    ...headers
  ])
}

/** The headers that announce the removal of getPet. */
export const deprecation = [
  "Deprecation: @1794614400",
  "Sunset: Thu, 05 Dec 2030 00:00:00 GMT",
  'Link: </v1/pets>; rel="successor-version"'
]

const challenge = 'WWW-Authenticate: Bearer realm="petstore"'

/** The answer to a caller without a key. */
export const noKey = refusal(
  "unauthorized",
  "an API key is required: send the header Authorization: Bearer <key>",
  [challenge]
)

/** The answer to a key that is not known. */
export const wrongKey = refusal("unauthorized", "the API key is not valid", [
  `${challenge}, error="invalid_token"`
])

/** The answer to a key that may not do this. */
export const forbidden = (scope: "pets:read" | "pets:write"): Expected =>
  refusal("forbidden", `the API key lacks the scope ${scope}`, [
    `${challenge}, error="insufficient_scope", scope="${scope}"`
  ])

/** The answer at a path that does not exist. */
export const notFound = refusal("not_found", "there is nothing at this path")

/** The answer to an id that is none. */
export const noId = refusal("pet_not_found", "petId must be the id of a pet", deprecation)

/** The response to an unknown id. */
export const noPet = (id: string): Expected =>
  refusal("pet_not_found", `there is no pet ${id}`, deprecation)

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

/** The answer to a body that is no pet. */
export const invalidBody = (message: string): Expected => refusal("invalid_body", message)

/** The answer to a body that is no JSON. */
export const malformed = (message: string): Expected => refusal("malformed_json", message)

/** The answer to a body in another form than JSON. */
export const wrongType = refusal(
  "unsupported_media_type",
  "the Content-Type must be application/json"
)

/** The answer to a pet that was added: these fields after its id. */
export const created =
  (fields: string) =>
  (id: number): Expected =>
    answer(201, `{"id":${id},${fields}}`, [`Location: /v1/pets/${id}`])

/** The same answer to a request that is repeated. */
export const replayed = (expected: Expected): Expected => ({
  ...expected,
  headers: [...expected.headers, "Idempotent-Replayed: true"]
})

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
