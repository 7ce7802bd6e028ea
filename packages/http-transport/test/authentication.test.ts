/** Who is let in, and what everybody else learns. */
import { describe, expect } from "@effect/vitest"
import { type Case, suite } from "./support/Cases.ts"
import { connect } from "./support/Connection.ts"
import {
  type Expected,
  expectResponse,
  forbidden,
  found,
  noKey,
  notAllowed,
  notFound,
  options,
  toHead,
  wrongKey
} from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import { create, head, keys, operation, type Request } from "./support/Request.ts"
import { served } from "./support/Served.ts"

const target = "/v1/things"
const none = found("[]")
const list = (...headers: ReadonlyArray<string>): Request => ({ target, key: null, headers })
const good = `Authorization: Bearer ${keys.all}`

suite("a key is let in", [
  ["with the scheme as it is usually written", list(good), none],
  ["with the scheme in mixed letters", list(`Authorization: bEaReR ${keys.all}`), none],
  ["after several spaces", list(`Authorization: Bearer     ${keys.all}`), none],
  ["before spaces at the end of the line", list(`Authorization: Bearer ${keys.all}   `), none],
  ["in a header written in capital letters", list(`AUTHORIZATION: Bearer ${keys.all}`), none],
  ["with the scope to read", { target, key: keys.read }, none],
  ["beside other headers that look like keys", list(good, "X-Api-Key: other"), none]
])

const without = (why: string, ...headers: ReadonlyArray<string>): Case => [
  why,
  list(...headers),
  noKey
]
suite("a request without a key is refused", [
  without("with no header"),
  without("with an empty header", "Authorization:"),
  without("with the scheme alone", "Authorization: Bearer"),
  without("with the key alone", `Authorization: ${keys.all}`),
  without("with the key glued to the scheme", `Authorization: Bearer${keys.all}`),
  without("with a tab after the scheme", `Authorization: Bearer\t${keys.all}`),
  without("with the scheme Basic", `Authorization: Basic ${btoa(`user:${keys.all}`)}`),
  without("with the scheme twice", `Authorization: Bearer Bearer ${keys.all}`),
  without("with a word after the key", `Authorization: Bearer ${keys.all} extra`),
  without("with two credentials in one header", `Authorization: ${keys.all}, Bearer ${keys.all}`),
  without("with two keys", `Authorization: Bearer ${keys.all},${keys.read}`),
  without("with the header twice", good, good),
  without("with the header twice, a wrong key last", good, "Authorization: Bearer wrong"),
  without("with the header twice, once empty", good, "Authorization:"),
  without("with the key in another header", `X-Api-Key: ${keys.all}`),
  without("with the key in a cookie", `Cookie: api_key=${keys.all}; access_token=${keys.all}`),
  ["with the key in the query", { target: `${target}?access_token=${keys.all}`, key: null }, noKey]
])

const wrong = (why: string, key: string): Case => [why, { target, key }, wrongKey]
suite("a key that is not known is refused", [
  wrong("with another key", "another"),
  wrong("with a key and one more letter", `${keys.all}x`),
  wrong("with a key in capital letters", keys.all.toUpperCase()),
  wrong("with a key of eight thousand letters", "k".repeat(8000)),
  wrong("with a key of bytes beyond ASCII", "k\xe9y\xff"),
  wrong("with a name that every object has", "__proto__")
])

const unsent = { method: "POST", target, headers: ["Content-Length: 99"] }
const before: ReadonlyArray<readonly [what: string, request: Request]> = [
  ["an unknown path", { target: "/v1/none" }],
  ["the prefix alone", { target: "/v1" }],
  ["a thing that there is not", { target: "/v1/things/99" }],
  ["an id that is none", { target: "/v1/things/x" }],
  ["an unknown method", { target, method: "DELETE" }],
  ["the methods of a path", { target, method: "OPTIONS" }],
  ["a bad limit", { target: "/v1/things?limit=0" }],
  ["a body of another type", { ...create("{}"), type: "text/plain" }],
  ["a body that is no JSON", create("{")],
  ["a thing", create('{"name":"a","count":1}')],
  ["a body that is too large", create("x".repeat(70_000))],
  [
    "a body that is declared too large and never sent",
    { ...unsent, headers: ["Content-Length: 999999999"] }
  ],
  ["a body that is never sent", unsent],
  ["chunks that are never sent", { ...unsent, headers: ["Transfer-Encoding: chunked"] }]
]
suite("the key comes first", [
  ...before.map(
    ([what, request]): Case => [`for ${what} when there is none`, { ...request, key: null }, noKey]
  ),
  ...before.map(
    ([what, request]): Case => [
      `for ${what} when it is wrong`,
      { ...request, key: "wrong" },
      wrongKey
    ]
  ),
  ["for HEAD when there is none", { target, method: "HEAD", key: null }, toHead(noKey)],
  [
    "for HEAD with a body that is never sent",
    { ...unsent, method: "HEAD", key: null },
    toHead(noKey)
  ],
  ["for HEAD when it is wrong", { target, method: "HEAD", key: "wrong" }, toHead(wrongKey)]
])

const noRead = forbidden("things:read")
const noWrite = forbidden("things:write")
suite("a key without the scope is refused", [
  ["when it lists", { target, key: keys.write }, noRead],
  ["when it lists with a bad query", { target: `${target}?limit=0`, key: keys.write }, noRead],
  [
    "when it asks for the head of a list",
    { target, method: "HEAD", key: keys.write },
    toHead(noRead)
  ],
  ["when it gets a thing", { target: "/v1/things/1", key: keys.write }, noRead],
  ["when its id is none", { target: "/v1/things/x", key: keys.write }, noRead],
  ["when it adds", { ...create('{"name":"a","count":1}'), key: keys.read }, noWrite],
  ["when it adds no JSON", { ...create("{"), key: keys.read }, noWrite],
  ["when it adds another type", { ...create("{}"), type: null, key: keys.read }, noWrite],
  ["when it adds too much", { ...create("x".repeat(70_000)), key: keys.read }, noWrite],
  ["before its body is sent", { ...unsent, key: keys.read }, noWrite]
])
suite("a key of any scope gets 404 and 405 as usual", [
  ["at an unknown path", { target: "/v1/none", key: keys.write }, notFound],
  [
    "of a method",
    { target, method: "PUT", key: keys.read },
    notAllowed("GET, HEAD, POST, OPTIONS")
  ],
  [
    "of the methods",
    { target, method: "OPTIONS", key: keys.read },
    options("GET, HEAD, POST, OPTIONS")
  ]
])

describe("a request that is refused by its key", () => {
  const refused: ReadonlyArray<readonly [name: string, key: string | null, Expected]> = [
    ["without a key", null, noKey],
    ["with a wrong key", "wrong", wrongKey],
    ["with a key without the scope", keys.read, noWrite]
  ]
  for (const [name, key, expected] of refused) {
    served()(
      `is answered before its body and leaves the connection in step, ${name}`,
      function* () {
        const body = JSON.stringify({ name: "x".repeat(50_000), count: 1 })
        const connection = yield* connect
        yield* connection.send(head({ ...create(body), key }))
        expectResponse(yield* connection.receive(operation("POST /v1/things")), expected)
        yield* connection.send(body, head({ target }))
        expectResponse(yield* connection.receive(operation("GET /v1/things")), none)
        expect(yield* Harness.count).toBe(0)
      }
    )
  }
})
