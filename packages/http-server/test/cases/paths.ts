/** Which paths there are, and which methods each has. */
import { allowOf } from "../support/Conformance.ts"
import {
  answer,
  created,
  found,
  noId,
  noPet,
  notAllowed,
  notFound,
  options,
  toHead
} from "../support/Expected.ts"
import { create } from "../support/Request.ts"
import { type Case, tables } from "../support/Suites.ts"

export const { suite, suites } = tables()

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
    "/v1/pets",
    "/v1/pets?",
    "/v1/pets?/v1/nothing",
    "http://localhost/v1/pets",
    "HTTP://LOCALHOST/v1/pets?",
    "http://elsewhere.example:8080/v1/pets?limit=1",
    "https://localhost/v1/pets"
  ),
  ...nothingAt(
    "/v1",
    "/v1/",
    "/v1?limit=1",
    "/v1/pets/",
    "/v1/pets/?limit=1",
    "/v1//pets",
    "/v1/Pets",
    "/v1/PETS",
    "/v1/pet",
    "/v1/petss",
    "/v1/%70ets",
    "/v1/pet%73",
    "/v1/pets%2F1",
    "/v1/pets%3Flimit=1",
    "/v1/pets%20",
    "/v1/pets;version=1",
    "/v1/pets.json",
    "/v1/./pets",
    "/v1/../v1/pets",
    "/v1/pets/1/",
    "/v1/pets//1",
    "/v1/pets/1/status",
    "/v1/pets/1/2",
    "/v1/v1/pets",
    "/v1/nothing",
    "/v1/store/orders",
    "/v1/store",
    "/v1/categories",
    "/v1/categories/1",
    "/v1/healthz",
    "/v1/readyz",
    "/v1/openapi.json",
    "/v1/docs",
    "http://localhost/v1/pets/"
  ),
  ["has no animal at /v1/pets/%31, which is no alias of 1", { target: "/v1/pets/%31" }, noId],
  ["has no animal at /v1/pets/.., which is a name like any", { target: "/v1/pets/.." }, noId],
  ["has no animal before any was added", { target: "/v1/pets/1" }, noPet("1")],
  ["adds at /v1/pets", create('{"name":"a","categoryId":1}'), created('"name":"a","categoryId":1')]
])

suite("the paths outside /v1 are exact and need no key", [
  ["is alive", { target: "/healthz", key: null }, ok],
  ["is alive for a caller with a wrong key, too", { target: "/healthz", key: "wrong" }, ok],
  ["is ready", { target: "/readyz", key: null }, ok],
  ["is ready whatever the query", { target: "/readyz?verbose=1&verbose=2", key: null }, ok],
  ["is alive at a whole address", { target: "http://localhost/healthz", key: null }, ok],
  ...nothingWithoutKeyAt(
    "/pets",
    "/pets/1",
    "/V1/pets",
    "//v1/pets",
    "/%761/pets",
    "/v1%2Fpets",
    "/v1x",
    "/v2/pets",
    "/v1.0/pets",
    "/api/v1/pets",
    "/store/orders",
    "/healthz/",
    "/Healthz",
    "/health",
    "/%68ealthz",
    "/readyz/",
    "/READYZ",
    "/openapi.json/",
    "/openapi",
    "/OpenAPI.json",
    "/docs/",
    "/docs/index.html",
    "/Docs",
    "/favicon.ico",
    "/..",
    "//",
    "/index.html"
  )
])

const places = [
  { target: "/v1/pets", allow: "GET, HEAD, POST, OPTIONS", others: ["PUT", "PATCH", "DELETE"] },
  { target: "/v1/pets?limit=0", allow: "GET, HEAD, POST, OPTIONS", others: ["TRACE", "PROPFIND"] },
  { target: "/v1/pets/1", allow: allowOf("/pets/{petId}"), others: ["POST", "PUT", "PATCH"] },
  { target: "/v1/pets/none", allow: allowOf("/pets/{petId}"), others: ["PUT", "TRACE"] },
  { target: "/healthz", allow: "GET, HEAD, OPTIONS", others: ["POST", "DELETE"], key: null },
  { target: "/readyz", allow: "GET, HEAD, OPTIONS", others: ["POST", "PUT"], key: null },
  { target: "/openapi.json", allow: "GET, HEAD, OPTIONS", others: ["POST", "PATCH"], key: null },
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

const unsent = { target: "/v1/pets", headers: ["Content-Length: 99"] }
suite("a body that a method has no use for is not waited for", [
  ["lists", unsent, none],
  ["answers HEAD", { ...unsent, method: "HEAD" }, toHead(none)],
  ["lists the methods", { ...unsent, method: "OPTIONS" }, options("GET, HEAD, POST, OPTIONS")],
  ["refuses", { ...unsent, method: "PUT" }, notAllowed("GET, HEAD, POST, OPTIONS")],
  ["is alive", { ...unsent, target: "/healthz" }, ok],
  ["finds nothing", { ...unsent, target: "/none" }, notFound]
])

suite("OPTIONS and other methods on unknown paths", [
  [
    "has no options at an unknown path",
    { method: "OPTIONS", target: "/none", key: null },
    notFound
  ],
  ["has no options of everything", { method: "OPTIONS", target: "*", key: null }, notFound],
  ["has no options at an unknown path of /v1", { method: "OPTIONS", target: "/v1/none" }, notFound],
  ["cannot delete at an unknown path", { method: "DELETE", target: "/v1/none" }, notFound],
  ["cannot add at an unknown path", { ...create("{}"), target: "/v1/none" }, notFound]
])
