/** The fields of a pet: which texts are names, what a status is, what is ignored, and exact integers of 64 bits. */
import { created, type Expected, invalidBody } from "../support/Expected.ts"
import { create } from "../support/Request.ts"
import { type Case, tables } from "../support/Suites.ts"

export const { suite, suites } = tables()

/** Texts in JSON, as they are sent and as they come back. */
const keeps = (what: string, sent: string, kept = sent): Case => [
  `keeps ${what}`,
  create(`{"name":"${sent}","categoryId":1}`),
  created(`"name":"${kept}","categoryId":1`)
]

suite("a name is kept as it was sent", [
  keeps("a name", "Rex"),
  keeps("spaces at both ends", "  Rex  "),
  keeps("a space alone", " "),
  keeps("quotes and backslashes", '\\"a\\" \\\\ \\\\\\"'),
  keeps("an emoji that was escaped", "\\ud83d\\udc36", "🐶"),
  keeps("an accent as one character", "caf\u00e9"),
  keeps("an accent as two characters", "cafe\u0301"),
  keeps("a byte order mark at the front", "\ufeffRex"),
  keeps("control characters", "\\u0001\\u001f"),
  keeps("SQL", "'); DROP TABLE pets; --"),
  keeps("the name of a field that all objects have", "__proto__"),
  keeps("a thousand emojis", "🐶".repeat(1000)),
  keeps("a thousand emojis that were escaped", "\\ud83d\\udc36".repeat(1000), "🐶".repeat(1000))
])

const refusesName = (what: string, name: string, why: string): Case => [
  `refuses ${what}`,
  create(`{"name":${name},"categoryId":1}`),
  invalidBody(`name ${why}`)
]
const unfit = "must not contain U+0000 or lone surrogates"
const noString = "must be a string"
const tooLong = "must have at most 1,000 characters"

suite("a name has at most a thousand characters, which every store can keep", [
  refusesName("an empty name", '""', "must not be empty"),
  refusesName("U+0000 inside", '"a\\u0000b"', unfit),
  refusesName("the first half of a pair", '"\\ud800"', unfit),
  refusesName("the halves of a pair in the wrong order", '"\\udc36\\ud83d"', unfit),
  refusesName("an emoji more than a thousand", `"${"🐶".repeat(1001)}"`, tooLong),
  refusesName("sixty thousand letters", `"${"n".repeat(60_000)}"`, tooLong),
  refusesName("a number", "1", noString),
  refusesName("null", "null", noString)
])

const withStatus = (status: string) => create(`{"name":"n","categoryId":1,"status":${status}}`)
const takesStatus = (status: string): Case => [
  `takes ${status}`,
  withStatus(`"${status}"`),
  created(`"name":"n","categoryId":1,"status":"${status}"`)
]
const refusesStatus = (status: string): Case => [
  `refuses ${status.slice(0, 60)}`,
  withStatus(status),
  invalidBody("status must be one of available, pending, sold")
]

suite("a status is one of three, or left out", [
  takesStatus("available"),
  takesStatus("pending"),
  takesStatus("sold"),
  [
    "takes an escaped letter for the letter",
    withStatus('"\\u0073old"'),
    created('"name":"n","categoryId":1,"status":"sold"')
  ],
  ["invents none", create('{"name":"n","categoryId":1}'), created('"name":"n","categoryId":1')],
  ...[
    "null",
    '""',
    '"AVAILABLE"',
    '"available "',
    '"gone"',
    `"${"sold".repeat(15_000)}"`,
    "0",
    "[]",
    "{}"
  ].map(refusesStatus)
])

const ignores = (what: string, fields: string): Case => [
  `ignores ${what}`,
  create(`{"name":"n",${fields},"categoryId":1}`),
  created('"name":"n","categoryId":1')
]

suite("fields that a pet does not have are ignored", [
  ignores("an id", '"id":99'),
  ignores("other letters of a field", '"Name":"m","NAME":"m","category_id":2,"Status":"sold"'),
  ignores("__proto__", '"__proto__":1,"__proto__":{"status":"sold"}'),
  ignores("numbers beyond any integer", '"size":1e400,"weight":1.5'),
  ignores("halves of pairs", '"\\ud800":"\\ud800\\u0000"'),
  ignores("nested values", '"tags":[{"a":[{"b":[]}]}]'),
  ignores(
    "two thousand fields",
    Array.from({ length: 2000 }, (_, at) => `"f${at}":${at}`).join(",")
  ),
  ignores("one field two thousand times", Array(2000).fill('"f":0').join(","))
])

suite("the fields of a pet", [
  [
    "come in one order, however they were sent",
    create('{"status":"sold","categoryId":2,"id":7,"name":"n"}'),
    created('"name":"n","categoryId":2,"status":"sold"')
  ],
  [
    "come without the white space that they were sent with",
    create('\r\n\t {\t"name" :\n"n" , "categoryId":\r1 } \n'),
    created('"name":"n","categoryId":1')
  ],
  [
    "hold what was sent last when they were sent twice",
    create('{"name":"m","categoryId":2,"name":"n","categoryId":1}'),
    created('"name":"n","categoryId":1')
  ],
  [
    "are bad when what was sent last is",
    create('{"name":"n","categoryId":1,"name":""}'),
    invalidBody("name must not be empty")
  ],
  ["are both required", create("{}"), invalidBody("name is required; categoryId is required")],
  [
    "are reported without an echo of sixty thousand letters",
    create(`{"name":["${"n".repeat(30_000)}"],"${"f".repeat(30_000)}":1}`),
    invalidBody("name must be a string; categoryId is required")
  ],
  [
    "are named each when they are bad",
    create('{"name":"","categoryId":1.5,"status":null}'),
    invalidBody(
      "name must not be empty; categoryId must be an integer; " +
        "status must be one of available, pending, sold"
    )
  ],
  ...["[]", '[{"name":"n","categoryId":1}]', "null", '"name"', "1", "1.5", "true", "false"].map(
    (text): Case => [
      `are those of an object, not of ${text}`,
      create(text),
      invalidBody("the body must be an object")
    ]
  )
])

const body = (categoryId: string) => create(`{"name":"n","categoryId":${categoryId}}`)

const takes = (sent: string, kept = sent): Case => [
  `takes ${sent} as ${kept}`,
  body(sent),
  created(`"name":"n","categoryId":${kept}`)
]

suite("an integer is accepted, however it is written", [
  ...["0", "1", "-1", "9007199254740992", "9007199254740993"].map((one) => takes(one)),
  ...["-9007199254740993", "9223372036854775807"].map((one) => takes(one)),
  takes("-9223372036854775808"),
  takes("1.0", "1"),
  takes("1e2", "100"),
  takes("9.223372036854775807e18", "9223372036854775807"),
  takes("0.0009e4", "9"),
  takes("-0", "0"),
  takes("0e999999999", "0"),
  takes("-9.223372036854775808E+18", "-9223372036854775808"),
  takes("9223372036854775807.000", "9223372036854775807"),
  takes(`1${"0".repeat(500)}e-500`, "1")
])

const refuses = (sent: string, answer: Expected): Case => [`refuses ${sent}`, body(sent), answer]

const outside = invalidBody(
  "categoryId must be between -9223372036854775808 and 9223372036854775807"
)
suite(
  "an integer outside 64 bits is refused",
  [
    ...["9223372036854775808", "-9223372036854775809", "9223372036854775807e1", "9.3e18", "1e19"],
    ...["1e400", "-1e400", "1e999999999999999999999", "9".repeat(400)]
  ].map((sent) => refuses(sent, outside))
)

const noInteger = invalidBody("categoryId must be an integer")
suite(
  "a value that is not an integer is refused",
  [
    ...["1.5", "1e-1", "1e-400", "1e-999999999999999999999", "1.0000000000000000000001"],
    ...["9007199254740993.5", '"1"'],
    ...['"9007199254740993"', '""', "true", "null", "[]", "[1]", "{}", '{"$bigint":"1"}']
  ].map((sent) => refuses(sent, noInteger))
)
