/** The id of a request, and other headers that callers send in odd ways. */
import { answer, created, found, noKey, notFound, withId } from "../support/Expected.ts"
import { create } from "../support/Request.ts"
import { type Case, tables } from "../support/Suites.ts"

export const { suite, suites } = tables()

const target = "/v1/pets"
const none = found("[]")
const ok = answer(200, '{"status":"ok"}')
export const sends = (...ids: ReadonlyArray<string>) => ({
  target,
  headers: ids.map((id) => `X-Request-Id: ${id}`)
})

const takes = (id: string): Case => [`takes ${id}`, sends(id), withId(none, id)]

suite("the caller's request id comes back", [
  takes("a"),
  takes("0"),
  takes("-"),
  takes("."),
  takes("_"),
  takes("Abc-123_x.y"),
  takes("00000000-0000-4000-8000-000000000000"),
  takes("x".repeat(64)),
  ["without the spaces around it", sends("   abc  "), withId(none, "abc")],
  [
    "from a header in other letters",
    { target, headers: ["x-ReQuEsT-iD: abc"] },
    withId(none, "abc")
  ],
  ["with a refusal", { ...sends("abc"), key: null }, withId(noKey, "abc")],
  ["with what is not found", { ...sends("abc"), target: "/none" }, withId(notFound, "abc")],
  ["with a probe", { ...sends("abc"), target: "/healthz" }, withId(ok, "abc")],
  [
    "with what was added",
    { ...create('{"name":"n","categoryId":1}'), headers: ["X-Request-Id: abc"] },
    (id) => withId(created('"name":"n","categoryId":1')(id), "abc")
  ]
])

/** The harness fails when a refused id comes back: what it is here is never a valid one. */
const refuses = (what: string, ...ids: ReadonlyArray<string>): Case => [
  `is made anew for ${what}`,
  sends(...ids),
  none
]

suite("an invalid request id", [
  refuses("none"),
  refuses("an empty one", ""),
  refuses("spaces", "   "),
  refuses("one of 65 letters", "x".repeat(65)),
  refuses("one of eight thousand letters", "x".repeat(8000)),
  refuses("one with a space", "a b"),
  refuses("one with a slash", "a/b"),
  refuses("one with a colon", "a:b"),
  refuses("one with a plus", "a+b"),
  refuses("one in quotes", '"abc"'),
  refuses("one with a letter beyond ASCII", "caf\xe9"),
  refuses("markup", "<script>"),
  refuses("a list", "a,b"),
  refuses("two", "a", "b"),
  refuses("the same one twice", "a", "a")
])

const repeated = (name: string, ...values: ReadonlyArray<string>): Case => [
  `is no trouble: ${name}`,
  { target, headers: values.map((value) => `${name}: ${value}`) },
  none
]

suite("a header that is repeated or odd", [
  repeated("Accept", "text/html", "application/json", "*/*;q=0"),
  repeated("Content-Type", "application/json", "text/plain"),
  repeated("Cookie", "a=1", "b=2"),
  repeated("User-Agent", "a", "b"),
  repeated("X-Forwarded-For", ...Array(100).fill("127.0.0.1")),
  repeated("If-None-Match", "*", '"a"'),
  repeated("If-Modified-Since", "Thu, 01 Jan 1970 00:00:00 GMT"),
  repeated("Range", "bytes=0-0", "bytes=1-1"),
  repeated("Origin", "http://evil.example"),
  repeated("X-HTTP-Method-Override", "DELETE"),
  repeated("X-Original-URL", "/none"),
  repeated("__proto__", "1", "2"),
  repeated("constructor", "1", "2"),
  repeated("Upgrade", "h2c"),
  repeated("Expect", "something"),
  [
    "takes the first of two types",
    { ...create('{"name":"n","categoryId":1}'), headers: ["Content-Type: text/plain"] },
    created('"name":"n","categoryId":1')
  ]
])
