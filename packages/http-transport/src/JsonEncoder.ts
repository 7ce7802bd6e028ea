/** JSON encoders, compiled once from a schema: encoding a value does not walk the schema. */
import type * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"

type Write = (value: unknown) => string

/** Compiles an encoder. Integers are exact, and fields are in the order of the schema. */
export const make = <A, I>(schema: Schema.Schema<A, I>): ((value: A) => string) =>
  compile(schema.ast)

/** Texts, booleans, literals, 64-bit integers, and arrays and objects of these; throws for any other schema. */
const compile = (ast: AST.AST): Write => {
  switch (ast._tag) {
    case "StringKeyword":
    case "BooleanKeyword":
    case "Literal":
      return JSON.stringify
    case "BigIntKeyword":
      return String
    case "Refinement":
      return compile(ast.from)
    case "Transformation":
      // An Int64 is encoded as a number or a bigint; its digits are the same.
      if (AST.isUnion(AST.encodedAST(ast)) && compile(ast.to) === String) return String
      break
    case "Union":
      if (ast.types.every(AST.isLiteral)) return JSON.stringify
      break
    case "TupleType": {
      const [rest] = ast.rest
      if (rest !== undefined && ast.elements.length === 0) return array(compile(rest.type))
      break
    }
    case "TypeLiteral":
      return struct(ast.propertySignatures)
  }
  throw new Error(`there is no encoder for ${ast}`)
}

const array =
  (item: Write): Write =>
  (values) => {
    let text = "["
    let separator = ""
    for (const value of values as ReadonlyArray<unknown>) {
      text += separator + item(value)
      separator = ","
    }
    return `${text}]`
  }

const struct = (signatures: ReadonlyArray<AST.PropertySignature>): Write => {
  const fields = signatures.map((signature) => ({
    name: String(signature.name),
    label: `${JSON.stringify(signature.name)}:`,
    write: compile(signature.type)
  }))
  return (value) => {
    const object = value as Readonly<Record<string, unknown>>
    let text = "{"
    let separator = ""
    for (const field of fields) {
      const content = object[field.name]
      if (content === undefined) continue
      text += separator + field.label + field.write(content)
      separator = ","
    }
    return `${text}}`
  }
}
