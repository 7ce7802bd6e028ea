/** The header `Idempotency-Key`, which identifies a request that is repeated. */
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

const bare = /^(?!")[!-~]{1,255}$/
const quoted = /^"((?:[!#-[\]-~]|\\["\\]){1,255})"$/

/** The characters of the key: the header has them in quotes, as a structured field, or as they are. */
export const IdempotencyKey = Schema.transformOrFail(Schema.String, Schema.String, {
  strict: true,
  decode: (text, _, ast) => {
    if (bare.test(text)) return ParseResult.succeed(text)
    const inside = quoted.exec(text)?.[1]
    return inside === undefined
      ? ParseResult.fail(new ParseResult.Type(ast, text))
      : ParseResult.succeed(inside.replaceAll(/\\(.)/g, "$1"))
  },
  encode: (key) => ParseResult.succeed(`"${key.replaceAll(/["\\]/g, "\\$&")}"`)
}).annotations({
  message: () => ({
    message: "must be 1 to 255 visible ASCII characters, in quotes or not",
    override: true
  }),
  jsonSchema: {
    type: "string",
    pattern: `${bare.source}|${quoted.source}`,
    description:
      "A text of your choice, such as a UUID, that is unique to what you add. If you send the request again with " +
      "the same text and the same body within 24 hours, it is not added again: the response is that of the " +
      "first request. 1 to 255 visible ASCII characters, in double quotes or not.",
    examples: ['"8e03978e-40d5-43e8-bc93-6894a57f9324"']
  }
})
