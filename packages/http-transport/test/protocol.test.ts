/** What is not HTTP as we speak it: refused in the same words as everything else. */
import { expect } from "@effect/vitest"
import { connect } from "./support/Connection.ts"
import {
  answer,
  closing,
  type Expected,
  expectResponse,
  refusal,
  withId
} from "./support/Expected.ts"
import * as Harness from "./support/Harness.ts"
import { keys, type Operation, operation } from "./support/Request.ts"
import { served } from "./support/Served.ts"

const bad = closing(refusal("bad_request", "the request is not valid HTTP"))
const badHost = closing(refusal("bad_request", "the request needs exactly one Host header"))
const noConnect = closing(refusal("bad_request", "CONNECT is not served here"))
const tooLarge = closing(
  refusal("headers_too_large", "the request's headers are too large, or too many")
)

type Refused = readonly [what: string, bytes: string, expected: Expected, operation?: Operation]

/** Every case is on a connection of its own, which the server closes after its one answer. */
const refuses = (title: string, cases: ReadonlyArray<Refused>) => {
  for (const [what, bytes, expected, asked] of cases) {
    served()(`${title}: refuses ${what}`, function* () {
      const connection = yield* connect
      yield* connection.send(Buffer.from(bytes, "latin1"))
      expectResponse(yield* connection.receive(asked), expected)
      expect(yield* connection.closed).toEqual({ rest: "", reset: false })
      expect(yield* Harness.count).toBe(0)
    })
  }
}

const get = (line: string, ...headers: ReadonlyArray<string>) =>
  `${[line, "Host: localhost", ...headers].join("\r\n")}\r\n\r\n`
const header = (line: string) => get("GET /healthz HTTP/1.1", line)

refuses("a request line", [
  ["nonsense", "nonsense\r\n\r\n", bad],
  ["a greeting of TLS", "\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03", bad],
  ["a greeting of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", bad],
  ["a method alone", "GET\r\n\r\n", bad],
  ["no version", get("GET /healthz"), bad],
  ["HTTP/2", get("GET /healthz HTTP/2.0"), bad],
  ["HTTP/1.10", get("GET /healthz HTTP/1.10"), bad],
  ["an unknown method", get("FETCH /healthz HTTP/1.1"), bad],
  ["a method in small letters", get("get /healthz HTTP/1.1"), bad],
  ["no target", get("GET  HTTP/1.1"), bad],
  ["a space in the target", get("GET /heal thz HTTP/1.1"), bad],
  ["a letter beyond ASCII in the target", get("GET /v1/things/\xd9\xa1 HTTP/1.1"), bad],
  ["a target without a slash", get("GET healthz HTTP/1.1"), bad],
  ["a target that is a query", get("GET ?limit=1 HTTP/1.1"), bad],
  ["CONNECT", get("CONNECT example.com:443 HTTP/1.1"), noConnect],
  ["CONNECT without a Host", "CONNECT example.com:443 HTTP/1.1\r\n\r\n", noConnect],
  [
    "CONNECT, with the caller's request id",
    get("CONNECT example.com:443 HTTP/1.1", "X-Request-Id: abc"),
    withId(noConnect, "abc")
  ]
])

refuses("headers", [
  ["a header without a colon", header("Accept"), bad],
  ["a space before the colon", header("Accept : */*"), bad],
  ["a letter beyond ASCII in the name", header("X-\xe9: a"), bad],
  ["a NUL in the value", header("X-A: a\0b"), bad],
  ["a carriage return in the value", header("X-A: a\rb"), bad],
  ["no Host", "GET /healthz HTTP/1.1\r\n\r\n", badHost, operation("GET /healthz")],
  [
    "no Host, with a key",
    `GET /v1/things HTTP/1.1\r\nAuthorization: Bearer ${keys.all}\r\n\r\n`,
    badHost,
    operation("GET /v1/things")
  ],
  ["no Host at a whole address", "GET http://localhost/healthz HTTP/1.1\r\n\r\n", badHost],
  ["two Hosts", header("Host: localhost"), badHost, operation("GET /healthz")],
  ["two Hosts in other letters", header("HOST: other"), badHost, operation("GET /healthz")],
  [
    "two Hosts with many headers between them",
    header(`${"A:\r\n".repeat(90)}Host: other`),
    badHost,
    operation("GET /healthz")
  ],
  ["two Hosts in HTTP/1.0", get("GET /healthz HTTP/1.0", "Host: a"), badHost],
  [
    "no Host, with the caller's request id",
    "GET / HTTP/1.1\r\nX-Request-Id: abc\r\n\r\n",
    withId(badHost, "abc")
  ],
  ["a header of 17 KB", header(`X-A: ${"a".repeat(17_000)}`), tooLarge],
  [
    "headers of 17 KB in all",
    header(Array(1000).fill("X-A: 12345678901234567890").join("\r\n")),
    tooLarge
  ],
  ["101 headers", header(Array(100).fill("A:").join("\r\n")), tooLarge, operation("GET /healthz")],
  [
    "3,900 headers",
    header(Array(3900).fill("A:").join("\r\n")),
    tooLarge,
    operation("GET /healthz")
  ],
  ["a target of 17 KB", get(`GET /${"a".repeat(17_000)} HTTP/1.1`), tooLarge],
  [
    "a query of 17 KB",
    get(`GET /v1/things?${"a".repeat(17_000)} HTTP/1.1`),
    tooLarge,
    operation("GET /v1/things")
  ]
])

const post = (headers: ReadonlyArray<string>, body: string) =>
  get(
    "POST /v1/things HTTP/1.1",
    `Authorization: Bearer ${keys.all}`,
    "Content-Type: application/json",
    ...headers
  ) + body
const thing = '{"name":"n","count":1}'
const sized = (...lengths: ReadonlyArray<string>) =>
  post(
    lengths.map((length) => `Content-Length: ${length}`),
    thing
  )
const coded = (coding: string) =>
  post([`Transfer-Encoding: ${coding}`], `16\r\n${thing}\r\n0\r\n\r\n`)
const chunks = (body: string, ...more: ReadonlyArray<string>) =>
  post(["Transfer-Encoding: chunked", ...more], body)
const asked = operation("POST /v1/things")

refuses("the length of a body", [
  ["a negative length", sized("-22"), bad],
  ["a length that is no number", sized("many"), bad],
  ["an empty length", sized(""), bad],
  ["a length beyond 64 bits", sized("18446744073709551638"), bad],
  ["two lengths in one header", sized("22, 22"), bad],
  ["two lengths that differ", sized("22", "21"), bad],
  ["two lengths that agree", sized("22", "22"), bad],
  [
    "a length and chunks",
    post(["Content-Length: 5", "Transfer-Encoding: chunked"], "0\r\n\r\n"),
    bad
  ],
  [
    "chunks and a length",
    post(["Transfer-Encoding: chunked", "Content-Length: 5"], "0\r\n\r\n"),
    bad
  ],
  ["no coding", coded(""), bad],
  ["a length and no coding", post(["Content-Length: 22", "Transfer-Encoding:"], thing), bad],
  [
    "a length and no coding, twice",
    post(["Transfer-Encoding:", "Transfer-Encoding: ,", "Content-Length: 22"], thing),
    bad
  ],
  ["another coding", coded("gzip"), bad],
  ["another coding after chunks", coded("chunked, gzip"), bad],
  ["a size that is no number", chunks(`zz\r\n${thing}\r\n0\r\n\r\n`), bad, asked],
  ["a size beyond 64 bits", chunks(`10000000000000016\r\n${thing}\r\n0\r\n\r\n`), bad, asked],
  ["a size that is too small", chunks(`15\r\n${thing}\r\n0\r\n\r\n`), bad, asked],
  ["a size that is missing", chunks(`\r\n${thing}\r\n0\r\n\r\n`), bad, asked],
  [
    "a bad chunk after a good one, with the caller's request id",
    chunks(`16\r\n${thing}\r\nzz\r\n`, "X-Request-Id: abc"),
    withId(bad, "abc"),
    asked
  ]
])

const ok = answer(200, '{"status":"ok"}')
const stumbling: ReadonlyArray<readonly [what: string, bytes: string, expected: Expected]> = [
  ["empty lines before the request", `\r\n\r\n${header("A: b")}`, ok],
  ["an empty Host", "GET /healthz HTTP/1.1\r\nHost:\r\n\r\n", ok],
  ["a header without a value", header("X-A:"), ok],
  ["letters beyond ASCII in a value", header("X-A: \xe9\xff"), ok],
  ["100 headers", header(Array(99).fill("A:").join("\r\n")), ok],
  ["headers of 15 KB", header(`X-A: ${"a".repeat(15_000)}`), ok],
  ["a wish for WebSockets", header("Connection: Upgrade\r\nUpgrade: websocket"), closing(ok)],
  [
    "a wish for WebSockets among others",
    header("Connection: keep-alive, Upgrade\r\nUpgrade: websocket"),
    closing(ok)
  ],
  ["a wish for HTTP/2", header("Connection: Upgrade\r\nUpgrade: h2c"), closing(ok)],
  ["a wish to close", header("Connection: close"), closing(ok)],
  ["an expectation that it does not know", header("Expect: gold"), ok]
]

for (const [what, bytes, expected] of stumbling) {
  served()(`takes ${what}`, function* () {
    const connection = yield* connect
    yield* connection.send(Buffer.from(bytes, "latin1"))
    expectResponse(yield* connection.receive(operation("GET /healthz")), expected)
  })
}
