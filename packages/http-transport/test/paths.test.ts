/** Which paths there are, and which methods each has. */
import { expect } from "@effect/vitest"
import { type Case, suite } from "./support/Cases.ts"
import { exchange } from "./support/Connection.ts"
import {
  answer,
  created,
  found,
  noId,
  noThing,
  notAllowed,
  notFound,
  options,
  toHead
} from "./support/Expected.ts"
import { create } from "./support/Request.ts"
import type { Response } from "./support/Response.ts"
import { served } from "./support/Served.ts"

const ok = answer(200, '{"status":"ok"}')
const none = found("[]")

/** What is at a path is there with and without a key, but under /v1 only with one. */
const nothingAt = (...targets: ReadonlyArray<string>): ReadonlyArray<Case> =>
  targets.map((target) => [`has nothing at ${target}`, { target }, notFound])
const nothingWithoutKeyAt = (...targets: ReadonlyArray<string>): ReadonlyArray<Case> =>
  targets.map((target) => [
    `has nothing at ${target}, which needs no key`,
    { target, key: null },
    notFound
  ])
const listsAt = (...targets: ReadonlyArray<string>): ReadonlyArray<Case> =>
  targets.map((target) => [`lists at ${target}`, { target }, none])

suite("the paths under /v1 are exact", [
  ...listsAt(
    "/v1/things",
    "/v1/things?",
    "/v1/things?/v1/nothing",
    "http://localhost/v1/things",
    "HTTP://LOCALHOST/v1/things?",
    "http://elsewhere.example:8080/v1/things?limit=1",
    "https://localhost/v1/things"
  ),
  ...nothingAt(
    "/v1",
    "/v1/",
    "/v1/things/",
    "/v1//things",
    "/v1/Things",
    "/v1/thing",
    "/v1/%74hings",
    "/v1/things%2F1",
    "/v1/things;version=1",
    "/v1/things.json",
    "/v1/./things",
    "/v1/../v1/things",
    "/v1/things/1/",
    "/v1/things//1",
    "/v1/things/1/status",
    "/v1/nothing",
    "/v1/store/orders",
    "/v1/healthz",
    "http://localhost/v1/things/"
  ),
  ["has no thing at /v1/things/%31, another path than 1", { target: "/v1/things/%31" }, noId],
  ["has no thing at /v1/things/.., which is a name like any", { target: "/v1/things/.." }, noId],
  ["has no thing before any was added", { target: "/v1/things/1" }, noThing("1")],
  ["adds at /v1/things", create('{"name":"a","count":1}'), created('"name":"a","count":1')]
])

suite("the paths outside /v1 are exact and need no key", [
  ["is alive", { target: "/healthz", key: null }, ok],
  ["is alive for a caller with a wrong key, too", { target: "/healthz", key: "wrong" }, ok],
  ["is ready", { target: "/readyz", key: null }, ok],
  ["is ready whatever the query", { target: "/readyz?verbose=1&verbose=2", key: null }, ok],
  ["is alive at a whole address", { target: "http://localhost/healthz", key: null }, ok],
  ...nothingWithoutKeyAt(
    "/things",
    "/V1/things",
    "//v1/things",
    "/v1%2Fthings",
    "/v1x",
    "/v2/things",
    "/healthz/",
    "/%68ealthz",
    "/openapi",
    "/docs/",
    "/favicon.ico",
    "//",
    "/index.html"
  )
])

const places = [
  { target: "/v1/things", allow: "GET, HEAD, POST, OPTIONS", others: ["PUT", "PATCH", "DELETE"] },
  {
    target: "/v1/things?limit=0",
    allow: "GET, HEAD, POST, OPTIONS",
    others: ["TRACE", "PROPFIND"]
  },
  { target: "/v1/things/1", allow: "GET, HEAD, OPTIONS", others: ["POST", "DELETE", "PATCH"] },
  { target: "/v1/things/none", allow: "GET, HEAD, OPTIONS", others: ["PUT", "TRACE"] },
  { target: "/healthz", allow: "GET, HEAD, OPTIONS", others: ["POST", "DELETE"], key: null },
  { target: "/readyz", allow: "GET, HEAD, OPTIONS", others: ["POST", "PUT"], key: null },
  { target: "/openapi.json", allow: "GET, HEAD, OPTIONS", others: ["POST", "PATCH"], key: null },
  { target: "/llms.txt", allow: "GET, HEAD, OPTIONS", others: ["POST"], key: null },
  { target: "/docs", allow: "GET, HEAD, OPTIONS", others: ["POST", "TRACE"], key: null }
]

suite(
  "each path lists its methods",
  places.flatMap(
    ({ allow, others, ...place }): ReadonlyArray<Case> => [
      [`lists the methods of ${place.target}`, { ...place, method: "OPTIONS" }, options(allow)],
      ...others.map((method): Case => {
        const request = { ...place, method }
        return [`refuses ${method} at ${place.target}`, request, notAllowed(allow)]
      })
    ]
  )
)

const unsent = { target: "/v1/things", headers: ["Content-Length: 99"] }
suite("a body that a method has no use for is not waited for", [
  ["lists", unsent, none],
  ["answers HEAD", { ...unsent, method: "HEAD" }, toHead(none)],
  ["lists the methods", { ...unsent, method: "OPTIONS" }, options("GET, HEAD, POST, OPTIONS")],
  ["refuses", { ...unsent, method: "PUT" }, notAllowed("GET, HEAD, POST, OPTIONS")],
  ["is alive", { ...unsent, target: "/healthz" }, ok],
  ["finds nothing", { ...unsent, target: "/none" }, notFound]
])

served()("HEAD is GET without the body, wherever there is something", function* () {
  for (let at = 0; at < 2; at++) yield* exchange(create('{"name":"a","count":1}'))
  const headers = ["X-Request-Id: same"]
  const dateless = ({ headers }: Response) => headers.filter(([name]) => name !== "Date")
  for (const target of [
    ...["/v1/things", "/v1/things?limit=1", "/v1/things?limit=0", "/v1/things/1", "/v1/things/99"],
    ...["/v1/none", "/healthz", "/readyz", "/openapi.json", "/docs", "/none"]
  ]) {
    for (const request of [
      { target, headers },
      { target, headers, key: null },
      { target, headers, key: "wrong" }
    ]) {
      const get = yield* exchange(request)
      const head = yield* exchange({ ...request, method: "HEAD" })
      expect(get.body).not.toBe("")
      expect([head.status, head.body, dateless(head)]).toEqual([get.status, "", dateless(get)])
    }
  }
})
