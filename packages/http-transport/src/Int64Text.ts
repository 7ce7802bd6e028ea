/** Exact 64-bit integers as texts of a path or a query. */
import * as Int64 from "@petstore/kernel/Int64"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

/**
 * A 64-bit integer in its canonical decimal form. One schema without transformations, for speed. It takes what it
 * gives, since an optional parameter is decoded twice.
 */
export const Int64Text: Schema.Schema<bigint, string> = Schema.declare(
  [],
  {
    decode: () => (input, _, ast) => {
      const value = typeof input === "string" ? Int64.fromText(input) : input
      return typeof value === "bigint"
        ? ParseResult.succeed(value)
        : ParseResult.fail(new ParseResult.Type(ast, input))
    },
    encode: () => (value) => ParseResult.succeed(String(value))
  },
  {
    message: () => ({ message: "must be a 64-bit integer", override: true }),
    jsonSchema: Int64.jsonSchema
  }
)
