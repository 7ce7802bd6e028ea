/** The introduction of the OpenAPI document, in Markdown. */
import * as Cursor from "@petstore/http-transport/Cursor"
import { listed } from "../PetStoreErrors.ts"

// A list, not a table: columns of API references are narrow.
const errorList = listed
  .map(({ code, meaning, status }) => `- ${status} \`${code}\`: ${meaning}`)
  .join("\n")

/** What a caller should know before the first request, and what each scope allows. */
export const introductionOf = (
  scopes: Readonly<Record<string, string>>
) => `List, add and read the pets of a pet store. Requests and responses are JSON.

## Quick start

Get a key from the operators of the service, then add a pet and list it, with the address and the key in variables:

\`\`\`sh
curl "$PETSTORE_URL/v1/pets" \\
  -H "Authorization: Bearer $PETSTORE_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"name": "Rex", "categoryId": 1}'

curl "$PETSTORE_URL/v1/pets" \\
  -H "Authorization: Bearer $PETSTORE_API_KEY"
\`\`\`

On this page, paste the key under *Authentication*, then choose an operation, *Test Request* and *Send*.

Language models read this text at \`/llms.txt\`. A bridge from OpenAPI to MCP, such as \`@ivotoby/openapi-mcp-server\`, makes the
operations tools of an assistant: it needs the address of \`/openapi.json\`, the base address and the header below.

## Authentication

Every operation needs an API key, as a bearer token:

\`\`\`http
Authorization: Bearer pet_0123456789_…
\`\`\`

The operators of the service issue keys. A key has scopes: ${Object.entries(scopes)
  .map(([scope, allows]) => `\`${scope}\` to ${allows}`)
  .join(
    ", "
  )}. Without a valid key the status is 401, and without the scope of the operation 403. The header
\`WWW-Authenticate\` says what is missing.

## Errors

Every response with status 400 or above has a body with the same three fields:

\`\`\`json
{
  "code": "pet_not_found",
  "message": "there is no pet 7",
  "status": 404
}
\`\`\`

Programs should decide by \`code\`; \`message\` is for people. If you report a problem, include the header \`X-Request-Id\` of the response.

${errorList}

## Paging

A list is sorted by ascending id and has up to \`limit\` pets: 20, unless you ask for 1 to 100. If there are more pets, the
response has a \`Link\` header:

\`\`\`http
Link: </v1/pets?limit=20&cursor=${Cursor.encode(20n)}>; rel="next"
\`\`\`

Resolve the address against that of the request, as in a web page, and get it. Go on until no link has \`rel="next"\`: you
then have seen every pet once. The next page keeps \`limit\` and \`status\`. Do not build or change cursors.

The last page has a link with \`rel="current"\` (RFC 5005) instead: keep it, and get it later to see only pets that were added
since then. Decide by \`rel\`, not by the header: following \`current\` like \`next\` would never end. An empty list without
a \`cursor\` has no link: ask again for the same list.

Lists and pets have an \`ETag\`. To ask whether one has changed, send its tag in \`If-None-Match\`: if not, the status is
304, without content. The tag of a page also changes when a next page appears.

## Rate limits

The service may limit how often a key is used. Responses then have the headers \`RateLimit-Policy\` and \`RateLimit\`:
\`"key";q=600;w=60\` allows 600 requests in 60 seconds, and \`"key";r=599;t=60\` says that 599 are left for the next 60
seconds. Past the limit the status is 429. The header \`Retry-After\` says how many seconds to wait; 503 has it, too.

## Web pages

A page of another origin can call the service only if its operators allow that origin (CORS). Otherwise the browser reports
a failed request without a status. An allowed page can read every header that is described here. Everyone who opens a page
can read the key that it sends: use one with the scope \`pets:read\` only.

## Repeating a create

If the connection fails while you add a pet, you do not know whether it was added. Send the header
\`Idempotency-Key\` with a new value for each pet, such as a UUID. Then you can repeat the request: for 24 hours, the
same key with the same body gives the same response, with the header \`Idempotent-Replayed: true\`, and the pet is
added once. The same key with another body is
refused with 422. A request that failed with another 4xx or 5xx has not used up its key. The values are kept for each API
key: repeated with another API key, as after a rotation, the request adds a second pet.

## Exact integers

\`id\` and \`categoryId\` are 64-bit integers, written as JSON numbers: from -9223372036854775808 to 9223372036854775807.
Some JSON parsers read numbers as 64-bit floating point, which is exact up to 9007199254740991 only: 9007199254740993
becomes 9007199254740992, the id of another pet. Use a parser that keeps them exact.

**JavaScript, TypeScript**: the client \`@petstore/http-client\` has them as \`bigint\`. Without it, in Node 22 and newer
and in browsers since 2025:

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

Elsewhere, use a library such as \`lossless-json\`.

**Python**: exact with \`json\`, and so with \`response.json()\` of requests and httpx.
**Java, Kotlin**: declare \`long\` (\`Long\`) fields; Jackson and Gson keep them exact. Do not read into a \`Map\` with
Gson, which makes numbers \`double\`. **Go**: declare \`int64\` fields; for \`map[string]any\`, call \`UseNumber\` of the
decoder first. **C#**: declare \`long\` properties; \`System.Text.Json\` keeps them exact. **Rust**: declare \`i64\` fields;
\`serde_json\` keeps them exact, in a \`serde_json::Value\` as well. **PHP**: exact with \`json_decode\` on 64-bit systems.
**Ruby**: exact with \`JSON.parse\`. **jq**: exact since version 1.7, as long as a number is not computed with.

## Compatibility

Programs that work with \`/v1\` keep working. Within \`/v1\` these may change, so be prepared for them:

- new operations, optional parameters, headers, fields of responses, and optional fields of requests: ignore what you do not know;
- new error codes and statuses: treat a code that you do not know by its status;
- the text of \`message\`, the form of cursors, ETags and request ids;
- limits on load, such as rate limits.

These do not change: paths, names, types, meanings and required fields; what is accepted now; the values of \`status\` of a pet.
Anything else is a new version with a prefix of its own, beside \`/v1\`.

A removal is announced long before. The name of the operation then says the date here, and its responses have the headers
\`Deprecation\` (since when, RFC 9745), \`Sunset\` (when it is removed, RFC 8594) and \`Link\` with \`rel="successor-version"\`
(what replaces it). From that date on the status is 410.
`
