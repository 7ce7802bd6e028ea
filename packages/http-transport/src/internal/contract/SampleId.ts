/** Ids for examples in the OpenAPI document. */
import * as Arr from "effect/Array"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"

/**
 * The id in the annotation `examples` of a schema. Without one, a number, its digits or a UUID, whichever the schema
 * accepts first; `undefined` if it accepts none of them.
 */
export const make = <A, I>(id: Schema.Schema<A, I>, nth: number): A | undefined => {
  const validate = Schema.validateOption(id)
  const decode = Schema.decodeUnknownOption(id)
  const given = Option.getOrElse(AST.getExamplesAnnotation(id.ast), () => [])
  const found = Option.orElse(
    Arr.findFirst(given, (value) => validate(value)),
    () => Arr.findFirst([nth, String(nth), uuid], (value) => decode(value))
  )
  return Option.getOrUndefined(found)
}

const uuid = "019b1e5c-7a40-7c3e-9d52-4f6a8b1c2d3e"
