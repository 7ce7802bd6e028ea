/** Opaque, checksummed cursors: where the next page of a list starts. */
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

const pattern = /^([0-9a-f]{1,16})[0-9a-f]{8}$/

/** The last id of a page and a 32-bit checksum, in hexadecimal. */
export const Cursor = Schema.transformOrFail(Schema.String, Schema.BigIntFromSelf, {
  strict: true,
  decode: (text, _, ast) => {
    const [, digits = "0"] = pattern.exec(text) ?? []
    const id = BigInt.asIntN(64, BigInt(`0x${digits}`))
    // An id has only one valid cursor.
    return encode(id) === text
      ? ParseResult.succeed(id)
      : ParseResult.fail(new ParseResult.Type(ast, text))
  },
  encode: (id) => ParseResult.succeed(encode(id))
}).annotations({
  message: () => ({ message: "must be a cursor taken from a Link header", override: true }),
  jsonSchema: {
    type: "string",
    description: "Where the page starts; taken from a Link header",
    examples: ["1423838aa7"]
  }
})

/** The cursor of the page after this id. */
export const encode = (id: bigint): string =>
  BigInt.asUintN(64, id).toString(16) + checksum(id).toString(16).padStart(8, "0")

/** Mixes all bits of the id (the finaliser of MurmurHash3), so that small errors are detected. */
const checksum = (id: bigint): number => {
  let hash = Number(BigInt.asUintN(32, id ^ (id >> 32n))) ^ 0x70657473
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
