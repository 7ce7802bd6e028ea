/** Opaque, checksummed cursors: where the next page of a list starts. */
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

/** The cursor of a list by this id, a 64-bit integer. */
export const of = <A extends bigint, I>(id: Schema.Schema<A, I>): Schema.Schema<A, string> =>
  Schema.transformOrFail(Schema.String, Schema.typeSchema(id), {
    strict: false,
    decode: (text, _, ast) => {
      const found = decode(text)
      return found === undefined
        ? ParseResult.fail(new ParseResult.Type(ast, text))
        : ParseResult.succeed(found)
    },
    encode: (value) => ParseResult.succeed(encode(value))
  }).annotations({
    message: () => ({ message: "must be a cursor taken from a Link header", override: true }),
    jsonSchema: {
      type: "string",
      description: "Where the page starts; taken from a Link header",
      examples: [encode(20n)]
    }
  })

/** The cursor of the page after this id: the id and a 32-bit checksum. */
export const encode = (id: bigint): string =>
  BigInt.asUintN(64, id).toString(16) + checksum(Number(BigInt.asUintN(32, id ^ (id >> 32n))))

const decode = (cursor: string): bigint | undefined => {
  const [, digits] = /^([0-9a-f]{1,16})[0-9a-f]{8}$/.exec(cursor) ?? []
  if (digits === undefined) return undefined
  const id = BigInt.asIntN(64, BigInt(`0x${digits}`))
  // An id has only one valid cursor.
  return encode(id) === cursor ? id : undefined
}

/** Mixes all bits (the finaliser of MurmurHash3), so that small errors are detected. */
const checksum = (bits: number): string => {
  let hash = bits ^ 0x70657473
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0).toString(16).padStart(8, "0")
}
