/** The query of a list, getting one pet by its id, and the keys and paths of the Pet Store. */
import {
  answer,
  created,
  type Expected,
  forbidden,
  found,
  invalidParameter,
  noId,
  noKey,
  noPet,
  notAllowed,
  notFound,
  options
} from "../support/Expected.ts"
import { create, keys } from "../support/Request.ts"
import { type Case, tables } from "../support/Suites.ts"

export const { suite, suites } = tables()

export const list = (query: string) => ({ target: `/v1/pets?${query}` })
const none = found("[]")

const takes = (query: string): Case => [`takes ${query.slice(0, 60)}`, list(query), none]
const refuses =
  (expected: Expected) =>
  (query: string): Case => [`refuses ${query.slice(0, 60)}`, list(query), expected]

const repeated = (name: string) => invalidParameter(`${name} must be given once`)
const badLimit = invalidParameter("limit must be a whole number from 1 to 100")
const badStatus = invalidParameter("status must be one of available, pending, sold")
const badCursor = invalidParameter("cursor must be a cursor taken from a Link header")

suite("a limit is a whole number from 1 to 100", [
  ...["limit=1", "limit=9", "limit=10", "limit=20", "limit=99", "limit=100"].map(takes),
  ...["limit=%31%30", "limit=%31", "lim%69t=10", "&&limit=10&&", "limit=10&"].map(takes),
  ...[
    ...["0", "101", "1000", "-1", "-0", "00", "05", "+5", "%2B5", "5+", "%205", "5%0A", "5%00"],
    ...[
      ...["1e1", "0x1", "1.0", "1.5", "1,000", "1_0", "5n", "", "null", "NaN", "true", '"10"'],
      ...["[10]"]
    ],
    ...["%D9%A1", "%EF%BC%91", "%FF", "%", "%3", "%2531", "=5", "18446744073709551617"],
    "1".repeat(5000)
  ]
    .map((limit) => `limit=${limit}`)
    .concat("limit")
    .map(refuses(badLimit)),
  ...["limit=5&limit=5", "limit=5&limit=", "limit&limit=5", "limit=5&lim%69t=5"].map(
    refuses(repeated("limit"))
  )
])

suite("a status is one of three", [
  ...["status=available", "status=pending", "status=sold", "status=%73old"].map(takes),
  ...[
    ...["", "Sold", "SOLD", "sold+", "%20sold", "sold%00", "gone", "null", "__proto__", "*", "%FF"],
    ...["available,sold", "'sold'", "sold%27%20OR%20%271%27=%271", "sold".repeat(2000)]
  ]
    .map((status) => `status=${status}`)
    .concat("status")
    .map(refuses(badStatus)),
  ...["status=sold&status=sold", "status=sold&status=pending", "status=&status=sold"].map(
    refuses(repeated("status"))
  )
])

suite("a cursor is one that was given", [
  ...["", "0", "null", "%00", "%FF", "AAAAAAAAAAA", "MQ==", "eyJpZCI6MX0", "A".repeat(8000)]
    .map((cursor) => `cursor=${cursor}`)
    .concat("cursor")
    .map(refuses(badCursor)),
  ...["cursor=a&cursor=b", "cursor=&cursor="].map(refuses(repeated("cursor")))
])

suite("parameters", [
  ...["limit=10&status=sold", "status=sold&limit=10", "", "=", "&"].map(takes),
  ...["?limit=0", "Limit=0", "LIMIT=0&STATUS=x&CURSOR=x"].map(takes),
  ...["offset=5&page=2&sort=name", "unknown=1&unknown=2&unknown"].map(takes),
  takes("__proto__=1&__proto__=2&constructor=3"),
  ...["limit[]=0&limit.x=0&status%5B%5D=x", "%=%&%zz=%zz&%FF=%FF"].map(takes),
  takes("a=%F0%9F%90%B6&a=%00"),
  takes(Array(2000).fill("a=1").join("&")),
  takes(Array(4000).fill("a").join("&")),
  [
    "are named each when they are bad",
    list("cursor=x&status=x&limit=x"),
    invalidParameter(
      "limit must be a whole number from 1 to 100; " +
        "status must be one of available, pending, sold; " +
        "cursor must be a cursor taken from a Link header"
    )
  ],
  [
    "are refused the second time as the first",
    list("limit=x"),
    invalidParameter("limit must be a whole number from 1 to 100")
  ],
  [
    "of a list are ignored where a pet is added",
    { ...create('{"name":"n","categoryId":1}'), target: "/v1/pets?limit=0&status=x&cursor=x" },
    created('"name":"n","categoryId":1')
  ]
])

const lacks = (id: string): Case => [`is not found: ${id}`, { target: `/v1/pets/${id}` }, noPet(id)]
const noInteger = (id: string): Case => [
  `is not found: ${id.slice(0, 60)}`,
  { target: `/v1/pets/${id}` },
  noId
]

suite("an id that is not assigned", [
  ...["1", "0", "-1", "9007199254740993", "9223372036854775807"].map(lacks),
  lacks("-9223372036854775808")
])

suite(
  "an id that is not a 64-bit integer, or written unusually",
  [
    ...["9223372036854775808", "-9223372036854775809", "1".repeat(5000), "01", "-0", "+1", "1.0"],
    ...["1e2", "0x1", "1n", "1_0", "%31", "1%20", "1%00", "1.json", "x", "__proto__", "%", "%FF"],
    ...[":petId", "1%27%20OR%201=1", "%D9%A1", "..", "%2F"]
  ].map(noInteger)
)

const target = "/v1/pets"
const pet = '{"name":"n","categoryId":1}'
const index =
  '{"name":"Pet Store","version":"1.0.0","links":{"docs":"/docs","openapi":"/openapi.json",' +
  '"health":"/healthz","readiness":"/readyz","pets":"/v1/pets"}}'

suite("keys", [
  ["are needed even where there is nothing", { target: "/v1/none", key: null }, noKey],
  ["may be for reading alone", { target, key: keys.read }, none],
  ["to write cannot list", { target, key: keys.write }, forbidden("pets:read")],
  ["to write cannot get", { target: "/v1/pets/1", key: keys.write }, forbidden("pets:read")],
  ["to read cannot add", { ...create(pet), key: keys.read }, forbidden("pets:write")]
])

suite("paths", [
  ["are exact", { target: "/v1/pets/" }, notFound],
  ["have no orders", { target: "/v1/store/orders" }, notFound],
  ["list their methods", { target, method: "OPTIONS" }, options("GET, HEAD, POST, OPTIONS")],
  ["refuse others", { target, method: "PUT" }, notAllowed("GET, HEAD, POST, OPTIONS")],
  ["have an index", { target: "/", key: null }, answer(200, index, ["Vary: Accept"])]
])
