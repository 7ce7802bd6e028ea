/** The id of a request, and other headers that callers send in odd ways. */
import { describe, expect } from "@effect/vitest"
import { type Case, suite } from "./support/Cases.ts"
import { connect, exchange } from "./support/Connection.ts"
import { answer, created, found, noKey, notFound, withId } from "./support/Expected.ts"
import { create, operation, render } from "./support/Request.ts"
import { headerOf } from "./support/Response.ts"
import { served } from "./support/Served.ts"

const target = "/v1/things"
const none = found("[]")
const ok = answer(200, '{"status":"ok"}')
const sends = (...ids: ReadonlyArray<string>) => ({
  target,
  headers: ids.map((id) => `X-Request-Id: ${id}`)
})

const takes = (id: string): Case => [`takes ${id}`, sends(id), withId(none, id)]

suite("the caller's request id comes back", [
  takes("a"),
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
    { ...create('{"name":"n","count":1}'), headers: ["X-Request-Id: abc"] },
    (id) => withId(created('"name":"n","count":1')(id), "abc")
  ]
])

/** The harness fails when a refused id comes back: what it is here is never a valid one. */
const refuses = (what: string, ...ids: ReadonlyArray<string>): Case => [
  `is made for ${what}`,
  sends(...ids),
  none
]

suite("an invalid request id", [
  refuses("none"),
  refuses("an empty one", ""),
  refuses("one of 65 letters", "x".repeat(65)),
  refuses("one with a space", "a b"),
  refuses("one in quotes", '"abc"'),
  refuses("one with a letter beyond ASCII", "caf\xe9"),
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
  repeated("X-Forwarded-For", ...Array(90).fill("127.0.0.1")),
  repeated("If-None-Match", "*", '"a"'),
  repeated("Range", "bytes=0-0", "bytes=1-1"),
  repeated("Origin", "http://evil.example"),
  repeated("X-HTTP-Method-Override", "DELETE"),
  repeated("__proto__", "1", "2"),
  repeated("Upgrade", "h2c"),
  repeated("Expect", "something"),
  [
    "takes the first of two types",
    { ...create('{"name":"n","count":1}'), headers: ["Content-Type: text/plain"] },
    created('"name":"n","count":1')
  ]
])

describe("a request id that is made", () => {
  served()("is another for every request, on one connection or many", function* () {
    const connection = yield* connect
    const ids = new Set<string | undefined>()
    for (let at = 0; at < 50; at++) {
      yield* connection.send(render({ target: "/healthz" }))
      ids.add(headerOf(yield* connection.receive(operation("GET /healthz")), "X-Request-Id"))
      ids.add(headerOf(yield* exchange({ target: "/none" }), "X-Request-Id"))
    }
    expect(ids.size).toBe(100)
    // Another process makes others.
    expect([...ids][0]).toMatch(/^[0-9a-f]{12}-/)
  })
})
