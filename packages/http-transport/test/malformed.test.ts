/** Bodies that are no JSON, and bodies that do not say that they are JSON; how JSON is parsed has tests of its own. */
import { type Case, suite } from "./support/Cases.ts"
import { created, malformed, refusal, wrongType } from "./support/Expected.ts"
import { create } from "./support/Request.ts"

const thing = '{"name":"n","count":1}'
const ok = created('"name":"n","count":1')

const notJson = (what: string, body: string, why: string): Case => [
  `refuses ${what}`,
  create(body),
  malformed(`the body is not JSON: ${why}`)
]

suite("a body that is no JSON is refused", [
  ["refuses an empty body", create(""), malformed("the body is empty")],
  ["refuses white space", create(" \r\n\t"), malformed("the body is empty")],
  [
    "refuses no body",
    { method: "POST", target: "/v1/things", headers: ["Content-Type: application/json"] },
    malformed("the body is empty")
  ],
  notJson("a comma before a brace", '{"name":"n",}', "unexpected text at character 13"),
  notJson("two values", `${thing}${thing}`, "unexpected text at character 23"),
  notJson("an object that is not closed", '{"name":"n"', "it ends too early"),
  notJson("an escape that is too short", '{"name":"\\u12"}', "unexpected text at character 14"),
  notJson("a byte order mark", `\ufeff${thing}`, "a value is missing or invalid"),
  notJson("the fields of a form", "name=n&count=1", "a value is missing or invalid"),
  notJson("arrays that are not closed", "[".repeat(60_000), "it ends too early"),
  notJson(
    "a long number that is nested too deeply",
    `${"[".repeat(30_000)}1234567890123456789${"]".repeat(30_000)}`,
    "it is nested too deeply"
  ),
  [
    "takes any depth in a field that is ignored",
    create(`{"name":"n","count":1,"deep":${"[".repeat(30_000)}${"]".repeat(30_000)}}`),
    ok
  ]
])

const inName = (...bytes: ReadonlyArray<number>) =>
  Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from('","count":1}')])
const notUtf8 = (what: string, body: Uint8Array): Case => [
  `refuses ${what}`,
  create(body),
  malformed("the body is not UTF-8")
]

suite("a body that is not UTF-8 is refused", [
  notUtf8("a byte that UTF-8 has not", inName(0xff)),
  notUtf8("a letter of Latin-1", inName(0xe9)),
  notUtf8("a byte that continues nothing", inName(0x80)),
  notUtf8("a NUL in two bytes", inName(0xc0, 0x80)),
  notUtf8("half of a pair", inName(0xed, 0xa0, 0x80)),
  notUtf8("a character beyond the last", inName(0xf4, 0x90, 0x80, 0x80)),
  notUtf8("bytes after the object", Buffer.concat([Buffer.from(thing), Buffer.from([0xff])])),
  notUtf8("UTF-16 with its mark", Buffer.from(`\ufeff${thing}`, "utf16le")),
  [
    "refuses UTF-16 without its mark",
    create(Buffer.from(thing, "utf16le")),
    malformed("the body is not JSON: unexpected text at character 2")
  ]
])

const typed = (type: string | null, answer: Case[2]): Case => [
  `${answer === ok ? "takes" : "refuses"} a body whose type is ${type}`,
  { ...create(thing), type },
  answer
]

suite("a body has the type of JSON", [
  typed("application/json", ok),
  typed("application/json; charset=utf-8", ok),
  typed('application/json; charset="utf-8"', ok),
  typed("Application/Json; Charset=Utf-8", ok),
  typed(null, wrongType),
  typed("", wrongType),
  typed("text/plain", wrongType),
  typed("application/jsonp", wrongType),
  typed("application/vnd.api+json", wrongType),
  typed("application/*", wrongType),
  typed("application/json, text/plain", wrongType),
  typed("application/json; charset=utf-16", wrongType),
  // Short, but a careless regular expression takes for ever to refuse it.
  typed(`application/json${"; ".repeat(60)}x`, wrongType),
  typed(`application/json${"; ".repeat(60)}charset=utf-8`, ok),
  typed("multipart/form-data; boundary=application/json", wrongType),
  ["refuses no type with no body", { method: "POST", target: "/v1/things" }, wrongType],
  ...["gzip", "br", "gzip, identity", "unknown"].map(
    (encoding): Case => [
      `refuses a body encoded with ${encoding}`,
      { ...create(thing), headers: [`Content-Encoding: ${encoding}`] },
      refusal("unsupported_media_type", "the body must have no Content-Encoding")
    ]
  ),
  ...["gzip, chunked", "gzip,Chunked"].map(
    (coding): Case => [
      `refuses a body in the coding ${coding}`,
      {
        method: "POST",
        target: "/v1/things",
        headers: ["Content-Type: application/json", `Transfer-Encoding: ${coding}`]
      },
      refusal("unsupported_media_type", "the body must have no Transfer-Encoding but chunked")
    ]
  ),
  [
    "takes a body whatever the caller would accept",
    { ...create(thing), headers: ["Accept: text/html", "Accept-Encoding: gzip"] },
    ok
  ]
])
