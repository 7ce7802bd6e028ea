/** The query of a list: limit, status and cursor. */
import { created, type Expected, found, invalidParameter } from "../support/Expected.ts"
import { create } from "../support/Request.ts"
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
    "limit=0",
    "limit=101",
    "limit=1000",
    "limit=-1",
    "limit=-0",
    "limit=00",
    "limit=05",
    "limit=010",
    "limit=+5",
    "limit=%2B5",
    "limit=5+",
    "limit=%205",
    "limit=5%20",
    "limit=5%0A",
    "limit=5%00",
    "limit=1e1",
    "limit=1E1",
    "limit=0x1",
    "limit=0b1",
    "limit=1.0",
    "limit=1.5",
    "limit=.5",
    "limit=1,000",
    "limit=1_0",
    "limit=5n",
    "limit=",
    "limit",
    "limit=null",
    "limit=NaN",
    "limit=Infinity",
    "limit=true",
    "limit=ten",
    'limit="10"',
    "limit=[10]",
    "limit=%D9%A1",
    "limit=%EF%BC%91",
    "limit=%C2%B2",
    "limit=%FF",
    "limit=%",
    "limit=%3",
    "limit=%zz",
    "limit=%2531",
    "limit==5",
    "limit=9223372036854775808",
    "limit=18446744073709551617",
    `limit=${"1".repeat(5000)}`
  ].map(refuses(badLimit)),
  ...[
    "limit=5&limit=5",
    "limit=5&limit=6",
    "limit=5&limit=",
    "limit&limit=5",
    "limit=5&lim%69t=5"
  ].map(refuses(repeated("limit")))
])

suite("a status is one of three", [
  ...["status=available", "status=pending", "status=sold", "status=%73old"].map(takes),
  ...[
    "status=",
    "status",
    "status=Sold",
    "status=SOLD",
    "status=sold+",
    "status=+sold",
    "status=%20sold",
    "status=sold%00",
    "status=gone",
    "status=null",
    "status=undefined",
    "status=__proto__",
    "status=constructor",
    "status=available,sold",
    "status=available|sold",
    "status=*",
    "status='sold'",
    "status=%FF",
    "status=sold%27%20OR%20%271%27=%271",
    `status=${"sold".repeat(2000)}`
  ].map(refuses(badStatus)),
  ...["status=sold&status=sold", "status=sold&status=pending", "status=&status=sold"].map(
    refuses(repeated("status"))
  )
])

suite("a cursor is one that was given", [
  ...[
    "cursor=",
    "cursor",
    "cursor=0",
    "cursor=1",
    "cursor=null",
    "cursor=%00",
    "cursor=%FF",
    "cursor=AAAAAAAAAAA",
    "cursor=AAAAAAAAAAAAAAAA",
    "cursor=________________",
    "cursor=MQ==",
    "cursor=eyJpZCI6MX0",
    `cursor=${"A".repeat(8000)}`
  ].map(refuses(badCursor)),
  ...["cursor=a&cursor=b", "cursor=&cursor="].map(refuses(repeated("cursor")))
])

suite("parameters", [
  takes("limit=10&status=sold"),
  takes("status=sold&limit=10"),
  takes(""),
  takes("="),
  takes("&"),
  takes("?limit=0"),
  takes("Limit=0"),
  takes("LIMIT=0&STATUS=x&CURSOR=x"),
  takes("offset=5&page=2&sort=name"),
  takes("unknown=1&unknown=2&unknown"),
  takes("__proto__=1&__proto__=2&constructor=3"),
  takes("limit[]=0&limit.x=0&status%5B%5D=x"),
  takes("%=%&%zz=%zz&%FF=%FF"),
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
    "of a list are ignored where an animal is added",
    { ...create('{"name":"n","categoryId":1}'), target: "/v1/pets?limit=0&status=x&cursor=x" },
    created('"name":"n","categoryId":1')
  ]
])
