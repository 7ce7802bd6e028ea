/** Where a list goes on, as opaque text that shows when it was damaged. */
import { PetId } from "@petstore/domain/Pet"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

/** The id that a page ended with, as eight bytes and a check of four, in URL-safe Base64. */
export const Cursor = Schema.transformOrFail(Schema.String, Schema.typeSchema(PetId), {
  strict: true,
  decode: (text, _, ast) => {
    const bytes = Either.getOrUndefined(Encoding.decodeBase64Url(text))
    // Comparing with the one right text also refuses padding and stray bits at the end.
    if (bytes?.length === 12) {
      const id = new DataView(bytes.buffer, bytes.byteOffset).getBigInt64(0)
      if (encode(id) === text) return ParseResult.succeed(id as PetId)
    }
    return ParseResult.fail(new ParseResult.Type(ast, text))
  },
  encode: (id) => ParseResult.succeed(encode(id))
}).annotations({
  message: () => ({
    message: "must be a cursor taken from a Link header",
    override: true
  }),
  jsonSchema: { type: "string", description: "Where to go on; taken from a Link header" }
})

/** The cursor that goes on after this id. */
export const encode = (id: bigint): string => {
  const view = new DataView(new ArrayBuffer(12))
  view.setBigInt64(0, id)
  view.setUint32(8, check(id))
  return Encoding.encodeBase64Url(new Uint8Array(view.buffer))
}

/** Mixes all the bits of the id, so that any small damage shows (the finaliser of MurmurHash3). */
const check = (id: bigint): number => {
  let hash = Number(BigInt.asUintN(32, id ^ (id >> 32n))) ^ 0x70657473
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
