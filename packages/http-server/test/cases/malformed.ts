/** Bodies that are no JSON, and bodies that do not say that they are JSON. */
import { created, malformed, refusal, wrongType } from "../support/Expected.ts"
import { create } from "../support/Request.ts"
import { type Case, tables } from "../support/Suites.ts"

export const { suite, suites } = tables()

const animal = '{"name":"n","categoryId":1}'
const ok = created('"name":"n","categoryId":1')

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
    { method: "POST", target: "/v1/pets", headers: ["Content-Type: application/json"] },
    malformed("the body is empty")
  ],
  notJson("a comma before a brace", '{"name":"n",}', "expected a string at character 13"),
  notJson("a comma before a bracket", '{"a":[1,]}', "expected a value at character 9"),
  notJson("a comma at the front", '{,"name":"n"}', "expected a string at character 2"),
  notJson("two commas", '{"a":1,,"b":2}', "expected a string at character 8"),
  notJson("a comma that is missing", '{"a":1 "b":2}', "expected ',' or '}' at character 8"),
  notJson("a colon that is missing", '{"a" 1}', "expected ':' at character 6"),
  notJson("a value that is missing", '{"a":}', "expected a value at character 6"),
  notJson("a comment at the front", `// pet\n${animal}`, "expected a value at character 1"),
  notJson("a comment at the end", `${animal} /* pet */`, "expected the end at character 29"),
  notJson("a comment inside", '{/**/"name":"n"}', "expected a string at character 2"),
  notJson("single quotes", "{'name':'n'}", "expected a string at character 2"),
  notJson("a field without quotes", '{name:"n"}', "expected a string at character 2"),
  notJson("a text without quotes", '{"name":n}', "expected a value at character 9"),
  notJson("a field that is a number", "{1:2}", "expected a string at character 2"),
  notJson("NaN", "NaN", "expected a value at character 1"),
  notJson("undefined", "undefined", "expected a value at character 1"),
  notJson("words in capital letters", "[True]", "expected a value at character 2"),
  notJson("half a word", '{"a":tru}', "expected a value at character 6"),
  notJson("a word and more", "nullx", "expected the end at character 5"),
  notJson("an object that is not closed", '{"name":"n"', "expected ',' or '}' where it ends"),
  notJson("an array that is not closed", "[1", "expected ',' or ']' where it ends"),
  notJson("a brace alone", "{", "expected a string where it ends"),
  notJson("a bracket closed by a brace", "[1}", "expected ',' or ']' at character 3"),
  notJson("a brace too many", `${animal}}`, "expected the end at character 28"),
  notJson("two values", `${animal}${animal}`, "expected the end at character 28"),
  notJson("a text that is not closed", '{"name":"n', "expected a closing quote where it ends"),
  notJson(
    "a text that ends in a backslash",
    '{"name":"\\',
    "expected a closing quote where it ends"
  ),
  notJson("a line break in a text", '{"name":"a\nb"}', "expected a closing quote at character 11"),
  notJson("a tab in a text", '{"name":"\t"}', "expected a closing quote at character 10"),
  notJson("a NUL in a text", '{"name":"\0"}', "expected a closing quote at character 10"),
  notJson("a NUL at the end", `${animal}\0`, "expected the end at character 28"),
  notJson("an escape of two digits", '{"name":"\\x41"}', "a string has an unknown escape"),
  notJson("an escape that is too short", '{"name":"\\u12"}', "a string has an unknown escape"),
  notJson("an escape in braces", '{"name":"\\u{41}"}', "a string has an unknown escape"),
  notJson("an escape of a quote", '{"name":"\\\'"}', "a string has an unknown escape"),
  notJson("an escape in a field", '{"\\a":1}', "a string has an unknown escape"),
  notJson("a space that JSON has not", `\u00a0${animal}`, "expected a value at character 1"),
  notJson("a form feed", `\f${animal}`, "expected a value at character 1"),
  notJson("a byte order mark", `\ufeff${animal}`, "expected a value at character 1"),
  notJson("the fields of a form", "name=n&categoryId=1", "expected a value at character 1"),
  notJson("markup", "<pet/>", "expected a value at character 1"),
  notJson("an array too deep", "[".repeat(60_000), "nested over 100 levels deep"),
  notJson("an object too deep", '{"a":'.repeat(12_000), "nested over 100 levels deep"),
  notJson(
    "a value too deep in a field that is ignored",
    `{"name":"n","categoryId":1,"deep":${"[".repeat(101)}${"]".repeat(101)}}`,
    "nested over 100 levels deep"
  )
])

const manyValues = `{"name":"n","categoryId":1,"x":[${"[],".repeat(300_000)}0]}`

suite(
  "nesting",
  [
    notJson("a hundred thousand brackets", "[".repeat(100_000), "nested over 100 levels deep"),
    notJson(
      "a hundred thousand arrays",
      `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
      "nested over 100 levels deep"
    ),
    notJson("a hundred thousand objects", '{"a":'.repeat(100_000), "nested over 100 levels deep"),
    notJson("too many values in a field that is ignored", manyValues, "over 32768 values")
  ],
  { server: { maxBodyBytes: 1_000_000 } }
)

const inName = (...bytes: ReadonlyArray<number>) =>
  Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from('","categoryId":1}')])
const notUtf8 = (what: string, body: Uint8Array): Case => [
  `refuses ${what}`,
  create(body),
  malformed("the body is not UTF-8")
]

suite("a body that is not UTF-8 is refused", [
  notUtf8("a byte that UTF-8 has not", inName(0xff)),
  notUtf8("a letter of Latin-1", inName(0xe9)),
  notUtf8("half a letter", inName(0xc3)),
  notUtf8("half an emoji", inName(0xf0, 0x9f, 0x90)),
  notUtf8("a byte that continues nothing", inName(0x80)),
  notUtf8("a NUL in two bytes", inName(0xc0, 0x80)),
  notUtf8("a slash in two bytes", inName(0xc0, 0xaf)),
  notUtf8("half of a pair", inName(0xed, 0xa0, 0x80)),
  notUtf8("both halves of a pair", inName(0xed, 0xa0, 0xbd, 0xed, 0xb0, 0xb6)),
  notUtf8("a character beyond the last", inName(0xf4, 0x90, 0x80, 0x80)),
  notUtf8("a letter in five bytes", inName(0xf8, 0x88, 0x80, 0x80, 0x80)),
  notUtf8("bytes after the object", Buffer.concat([Buffer.from(animal), Buffer.from([0xff])])),
  notUtf8("bytes alone", Buffer.from([0xff, 0xfe, 0xfd])),
  notUtf8("UTF-16 with its mark", Buffer.from(`\ufeff${animal}`, "utf16le")),
  [
    "refuses UTF-16 without its mark",
    create(Buffer.from(animal, "utf16le")),
    malformed("the body is not JSON: expected a string at character 2")
  ]
])

const typed = (type: string | null, answer: Case[2]): Case => [
  `${answer === ok ? "takes" : "refuses"} a body whose type is ${type}`,
  { ...create(animal), type },
  answer
]

suite("a body has the type of JSON", [
  typed("application/json", ok),
  typed("APPLICATION/JSON", ok),
  typed("application/json; charset=utf-8", ok),
  typed("application/json;charset=UTF-8", ok),
  typed("application/json ; charset=utf-8", ok),
  typed('application/json; charset="utf-8"', ok),
  typed("Application/Json; Charset=Utf-8", ok),
  typed(null, wrongType),
  typed("", wrongType),
  typed("json", wrongType),
  typed("text/json", wrongType),
  typed("text/plain", wrongType),
  typed("application/jsonp", wrongType),
  typed("application/json5", wrongType),
  typed("application/x-json", wrongType),
  typed("application/problem+json", wrongType),
  typed("application/vnd.api+json", wrongType),
  typed("application/*", wrongType),
  typed("*/*", wrongType),
  typed("application/json, text/plain", wrongType),
  typed("text/plain; application/json", wrongType),
  typed("application/json; charset=utf-16", wrongType),
  typed("application/json; charset=iso-8859-1", wrongType),
  // Short, but a careless regular expression takes for ever to refuse it.
  typed(`application/json${"; ".repeat(60)}x`, wrongType),
  typed(`application/json${"; ".repeat(60)}charset=utf-8`, ok),
  typed("application/x-www-form-urlencoded", wrongType),
  typed("multipart/form-data; boundary=application/json", wrongType),
  ["refuses no type with no body", { method: "POST", target: "/v1/pets" }, wrongType],
  ...["gzip", "GZIP", "deflate", "br", "zstd", "gzip, identity", "unknown"].map(
    (encoding): Case => [
      `refuses a body encoded with ${encoding}`,
      { ...create(animal), headers: [`Content-Encoding: ${encoding}`] },
      refusal("unsupported_media_type", "the body must have no Content-Encoding")
    ]
  ),
  [
    "takes a body whatever the caller would accept",
    { ...create(animal), headers: ["Accept: text/html", "Accept-Encoding: gzip"] },
    ok
  ]
])
