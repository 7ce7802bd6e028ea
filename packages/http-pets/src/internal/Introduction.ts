/** The introduction of the OpenAPI document, in Markdown. `/docs`, `/llms.txt` and `docs/api.md` show it. */
import { maxNameLength } from "@petstore/domain/Pet"
import { PetStatus } from "@petstore/domain/PetStatus"
import * as Cursor from "@petstore/http-transport/Cursor"
import { errors, listed } from "../PetStoreErrors.ts"

// A list, not a table: columns of API references are narrow.
const errorList = listed
  .map(
    ({ advice, code, meaning, status }) =>
      `- ${status} \`${code}\`: ${meaning}${advice ? `; ${advice}` : ""}`
  )
  .join("\n")

const statuses = PetStatus.literals.map((status) => `\`${status}\``).join(", ")

const exampleError = JSON.stringify(errors.make("pet_not_found", "there is no pet 7"), null, 2)

/** What a caller should know before the first request, and what each scope allows. */
export const introductionOf = (
  scopes: Readonly<Record<string, string>>
) => `List, add and read the pets of a pet store. Requests and responses are JSON.

## Quick start

Ask the operators of the service for an API key. Then add a pet, and list all pets:

\`\`\`sh
curl "$PETSTORE_URL/v1/pets" \\
  -H "Authorization: Bearer $PETSTORE_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"name": "Rex", "categoryId": 1}'

curl "$PETSTORE_URL/v1/pets" \\
  -H "Authorization: Bearer $PETSTORE_API_KEY"
\`\`\`

A pet has an \`id\`, a \`name\` of 1 to ${maxNameLength.toLocaleString("en")} characters, a \`categoryId\`, and optionally a \`status\`: ${statuses}.
The service assigns the \`id\`. \`GET /v1/pets?status=sold\` lists only pets with that status.

The page \`/docs\` sends requests, too: paste the key under "Authentication".

## Authentication

Every operation needs an API key, as a bearer token:

\`\`\`http
Authorization: Bearer pet_0123456789_…
\`\`\`

A key has scopes: ${Object.entries(scopes)
  .map(([scope, allows]) => `\`${scope}\` to ${allows}`)
  .join(", ")}. The header \`WWW-Authenticate\` of a 401 or 403
says what is missing.

## Errors

Every response with status 400 or above has \`Cache-Control: no-store\` and a body with these three fields:

\`\`\`json
${exampleError}
\`\`\`

Decide by \`code\`; \`message\` is for people, and may change. Operators find a response in their log by its \`X-Request-Id\`.

Retry unchanged after 429, 503, a proxy's 502 or 504, or a lost connection; \`Retry-After\` says how many seconds to wait. A
\`GET\` is always safe; repeat a create with its \`Idempotency-Key\`.

${errorList}

## Paging

A list is sorted by ascending id and has up to \`limit\` pets: 20, unless you ask for 1 to 100. If there are more pets, the
response has a \`Link\` header:

\`\`\`http
Link: </v1/pets?limit=20&cursor=${Cursor.encode(20n)}>; rel="next"
\`\`\`

Resolve the address against that of the request, and get it, until no link has \`rel="next"\`: you then have seen every pet
once.

The last page links to \`rel="current"\` (RFC 5005) instead: get it later to see only pets that were added since. Followed
like \`next\`, it would never end. An empty list without a \`cursor\` has no link: ask again for it.

Lists and pets have an \`ETag\`. If you send it in \`If-None-Match\` and nothing has changed, not even whether there is a next
page, the status is 304, without content.

## Rate limits

If the service limits how often a key is used, responses have two headers: the \`RateLimit-Policy\` \`"key";q=600;w=60\` allows
600 requests in 60 seconds, and the \`RateLimit\` \`"key";r=599;t=60\` leaves 599 for the next 60 seconds. A 429 for wrong
keys names \`"address"\`.

## Web pages

A page of another origin can call the service only if its operators allow that origin (CORS); otherwise requests fail
without a status. Everyone who opens a page can read its key: use one with the scope \`pets:read\` only.

## Repeating a create

If the connection fails while you add a pet, you do not know whether it was added. Send the header \`Idempotency-Key\` with
a new value for each pet, such as a UUID. For 24 hours, the same value with the same pet and API key adds no second pet, and
returns the first response, with the header \`Idempotent-Replayed: true\`. With another API key, as after a rotation, it adds
one. If a request failed, repeat it with its value.

## Exact integers

\`id\` and \`categoryId\` are 64-bit integers, written as JSON numbers. Parsers that read numbers as 64-bit floating point
are exact up to 9007199254740991 only: 9007199254740993 becomes 9007199254740992, the id of another pet.

In JavaScript, use \`@petstore/http-client\`, \`lossless-json\`, or, in Node 22 and newer and in browsers since 2025:

\`\`\`js
const parse = (text) =>
  JSON.parse(text, (key, value, { source }) =>
    key === "id" || key === "categoryId" ? BigInt(source) : value
  )
const stringify = (value) =>
  JSON.stringify(value, (_, value) =>
    typeof value === "bigint" ? JSON.rawJSON(String(value)) : value
  )

const { id } = parse('{"id": 9007199254740993}') // 9007199254740993n
const body = stringify({ name: "Rex", categoryId: id })
\`\`\`

These are exact by themselves: Python, Ruby, and PHP on 64-bit systems; \`long\` in Java, Kotlin and C#, but not numbers in a
\`Map\` of Gson; \`int64\` in Go, where a \`map[string]any\` needs \`UseNumber\`; \`i64\` and \`serde_json::Value\` in Rust; jq since
1.7, as long as it does not compute with a number.

## Compatibility

Programs that work with \`/v1\` keep working. Be prepared for:

- new operations, headers, fields of responses, and optional parameters and fields of requests: ignore unknown ones
- new error codes: treat an unknown code by its status
- other forms of cursors, ETags and request ids, and other limits on load

Anything else, such as another value of a pet's \`status\`, is a new version with a prefix of its own, next to \`/v1\`.

A removal is announced long before. The name of the operation then says until when it works, and its responses have the
headers \`Deprecation\` (since when, RFC 9745), \`Sunset\` (until when, RFC 8594) and \`Link\` with \`rel="successor-version"\`
(what replaces it). After that the status is 410.

## Language models

Language models read this text at \`/llms.txt\`. A bridge from OpenAPI to MCP, such as \`@ivotoby/openapi-mcp-server\`, makes the
operations tools of an assistant.
`
