/** The header `Idempotency-Key`, which identifies a request that is repeated. */
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

const bare = /^(?!")[!-~]{1,255}$/
const quoted = /^"((?:[!#-[\]-~]|\\["\\]){1,255})"$/

/** The characters of a key: the header has them in quotes, as a structured field, or as they are. */
const Key = Schema.transformOrFail(Schema.String, Schema.String, {
  strict: true,
  decode: (text, _, ast) => {
    if (bare.test(text)) return ParseResult.succeed(text)
    const inside = quoted.exec(text)?.[1]
    return inside === undefined
      ? ParseResult.fail(new ParseResult.Type(ast, text))
      : ParseResult.succeed(inside.replaceAll(/\\(.)/g, "$1"))
  },
  encode: (key) => ParseResult.succeed(`"${key.replaceAll(/["\\]/g, "\\$&")}"`)
})

/** The header, for endpoints whose keys are kept for this long, such as `24 hours`. */
export const keptFor = (lifetime: string) =>
  Key.annotations({
    message: () => ({
      message: "must be 1 to 255 visible ASCII characters, in quotes or not",
      override: true
    }),
    jsonSchema: {
      type: "string",
      pattern: `${bare.source}|${quoted.source}`,
      description:
        "A text of your choice, such as a UUID, that is unique to what you add. If you send the request again with " +
        `the same text, API key and content within ${lifetime}, it is not added again: the response is that of the ` +
        "first request. 1 to 255 visible ASCII characters, in double quotes or not.",
      examples: ['"8e03978e-40d5-43e8-bc93-6894a57f9324"']
    }
  })

/** The headers of a create, in the OpenAPI document: the path of what was added, and whether it was before. */
export const createdHeaders = (path: string, item: string) => ({
  Location: { description: `The path of the new ${item}`, example: `${path}/1` },
  "Idempotent-Replayed": {
    description: `\`true\` if an earlier request with the same \`Idempotency-Key\` added the ${item}`,
    example: "true",
    required: false
  }
})
