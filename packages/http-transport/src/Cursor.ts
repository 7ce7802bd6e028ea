/** Opaque, checksummed cursors: where the next page of a list starts. */
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as SampleId from "./internal/contract/SampleId.ts"

/** An id as a store compares it: an integer, or a text such as a UUID. */
export type Id = bigint | string

/** The cursor of a list by this id, which is an integer or a text. */
export const of = <A extends Id, I extends Id | number>(
  id: Schema.Schema<A, I>
): Schema.Schema<A, string> => {
  const example = exampleOf(id)
  return Schema.transformOrFail(Schema.String, Schema.typeSchema(id), {
    strict: true,
    decode: (text, options, ast) => {
      const found = decode(text)
      const refused = new ParseResult.Type(ast, text)
      return found === undefined
        ? ParseResult.fail(refused)
        : Either.mapLeft(Schema.decodeUnknownEither(id, options)(found), () => refused)
    },
    encode: (value) => ParseResult.succeed(encodeBy(id, value))
  }).annotations({
    message: () => ({ message: "must be a cursor taken from a Link header", override: true }),
    jsonSchema: {
      type: "string",
      description: "Where the page starts; taken from a Link header",
      ...(example && { examples: [example] })
    }
  })
}

const encodeBy = <A extends Id, I extends Id | number>(id: Schema.Schema<A, I>, value: A) => {
  const encoded = Schema.encodeSync(id)(value)
  return encode(typeof encoded === "number" ? BigInt(encoded) : encoded)
}

/** A cursor for examples, unless none is known: the schema then needs the annotation `examples`. */
export const exampleOf = <A extends Id, I extends Id | number>(
  id: Schema.Schema<A, I>
): string | undefined => {
  const sample = SampleId.make(id, 20)
  return sample && encodeBy(id, sample)
}

/** The cursor of the page after this id: the id and a 32-bit checksum. A text is marked by a letter. */
export const encode = (id: Id): string =>
  typeof id === "bigint"
    ? BigInt.asUintN(64, id).toString(16) + checksum(Number(BigInt.asUintN(32, id ^ (id >> 32n))))
    : `t${Encoding.encodeBase64Url(id)}${checksum(hashOf(id))}`

const pattern = /^(?:([0-9a-f]{1,16})|t([\w-]{0,400}))[0-9a-f]{8}$/

const decode = (cursor: string): Id | undefined => {
  const [, digits, text] = pattern.exec(cursor) ?? []
  const id =
    digits === undefined
      ? Either.getOrUndefined(Encoding.decodeBase64UrlString(text ?? ""))
      : BigInt.asIntN(64, BigInt(`0x${digits}`))
  // An id has only one valid cursor.
  return id !== undefined && encode(id) === cursor ? id : undefined
}

const hashOf = (text: string): number => {
  let hash = 0
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}

/** Mixes all bits (the finaliser of MurmurHash3), so that small errors are detected. */
const checksum = (bits: number): string => {
  let hash = bits ^ 0x70657473
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0).toString(16).padStart(8, "0")
}
