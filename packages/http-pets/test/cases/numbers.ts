/** Integers of 64 bits, exactly: what is taken as one, and that it comes back digit for digit. */

import { created, type Expected, invalidBody, malformed } from "../support/Expected.ts"
import { create } from "../support/Request.ts"
import { type Case, tables } from "../support/Suites.ts"

export const { suite, suites } = tables()

const body = (categoryId: string) => create(`{"name":"n","categoryId":${categoryId}}`)

const takes = (sent: string, kept = sent): Case => [
  `takes ${sent} as ${kept}`,
  body(sent),
  created(`"name":"n","categoryId":${kept}`)
]

suite("an integer is accepted, however it is written", [
  takes("0"),
  takes("1"),
  takes("-1"),
  takes("9007199254740992"),
  takes("9007199254740993"),
  takes("-9007199254740993"),
  takes("9223372036854775807"),
  takes("-9223372036854775808"),
  takes("1.0", "1"),
  takes("1e2", "100"),
  takes("1e0", "1"),
  takes("1.5e1", "15"),
  takes("0.0009e4", "9"),
  takes("-0", "0"),
  takes("-0.0", "0"),
  takes("0e999999999", "0"),
  takes("1e18", "1000000000000000000"),
  takes("9.223372036854775807e18", "9223372036854775807"),
  takes("-9.223372036854775808E+18", "-9223372036854775808"),
  takes("9223372036854775807.000", "9223372036854775807"),
  takes("92233720368547758070e-1", "9223372036854775807"),
  takes(`1${"0".repeat(500)}e-500`, "1"),
  takes(`0.${"0".repeat(499)}1e500`, "1"),
  takes(`7.${"0".repeat(500)}`, "7")
])

const refuses = (sent: string, answer: Expected): Case => [`refuses ${sent}`, body(sent), answer]

const outside = invalidBody(
  "categoryId must be between -9223372036854775808 and 9223372036854775807"
)
suite(
  "an integer outside 64 bits is refused",
  [
    "9223372036854775808",
    "-9223372036854775809",
    "9223372036854775807e1",
    "9.3e18",
    "1e19",
    "18446744073709551616",
    "1e400",
    "-1e400",
    "1.5e400",
    "1e999999999999999999999",
    "9".repeat(400)
  ].map((sent) => refuses(sent, outside))
)

const noInteger = invalidBody("categoryId must be an integer")
suite(
  "what is no integer is refused",
  [
    "1.5",
    "1e-1",
    "1e-400",
    "1e-999999999999999999999",
    "1.0000000000000000000001",
    "0.99999999999999999999",
    "9007199254740993.5",
    "9223372036854775807.5",
    '"1"',
    '"9007199254740993"',
    '""',
    "true",
    "null",
    "[]",
    "[1]",
    "{}",
    '{"$bigint":"1"}'
  ].map((sent) => refuses(sent, noInteger))
)

suite("what is no number of JSON is refused", [
  refuses("01", malformed("the body is not JSON: unexpected text at character 27")),
  refuses("NaN", malformed("the body is not JSON: a value is missing or invalid"))
])
