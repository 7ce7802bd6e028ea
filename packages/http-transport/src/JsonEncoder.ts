/** JSON encoders, compiled once from a schema: encoding a value does not walk the schema, where it is a common one. */
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"

type Write = (value: unknown) => string

/**
 * Compiles an encoder. Integers are exact, and fields are in the order of the schema. What has no compiled encoder, such
 * as a date or a record, is encoded by Schema itself; its integers must be safe ones.
 */
export const make = <A, I>(schema: Schema.Schema<A, I>): ((value: A) => string) =>
  compile(schema.ast)

const compile = (ast: AST.AST): Write => compiled(ast) ?? bySchema(ast)

const bySchema = (ast: AST.AST): Write => {
  const encode = Schema.encodeSync(Schema.make<unknown>(ast))
  return (value) => JSON.stringify(encode(value))
}

const compiled = (ast: AST.AST): Write | undefined => {
  switch (ast._tag) {
    case "NumberKeyword":
      return number
    case "StringKeyword":
    case "BooleanKeyword":
    case "Literal":
      return JSON.stringify
    case "BigIntKeyword":
      return String
    case "Refinement":
      return compiled(ast.from)
    case "Transformation":
      // An Int64 is encoded as a number or a bigint; its digits are the same.
      if (compiled(ast.to) === String && hasBigInt(AST.encodedAST(ast))) return String
      break
    case "Union": {
      const others = ast.types.filter((type) => !(AST.isLiteral(type) && type.literal === null))
      const [first = JSON.stringify, ...rest] = others.map(compile)
      if ([first, ...rest].every((write) => write === JSON.stringify)) return JSON.stringify
      if (rest.length === 0) return (value) => (value === null ? "null" : first(value))
      break
    }
    case "TupleType": {
      const [rest] = ast.rest
      if (rest !== undefined && ast.rest.length === 1 && ast.elements.length === 0)
        return array(compile(rest.type))
      break
    }
    case "TypeLiteral":
      if (ast.indexSignatures.length === 0) return struct(ast.propertySignatures)
      break
  }
  return undefined
}

const hasBigInt = (ast: AST.AST): boolean =>
  AST.isUnion(ast) ? ast.types.some(hasBigInt) : AST.isBigIntKeyword(ast)

const number: Write = (value) => {
  // JSON has no others; `JSON.stringify` would write null.
  if (!Number.isFinite(value)) throw new Error(`${value} is not a number of JSON`)
  return String(value)
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
    write: compile(withoutUndefined(signature.type))
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

/** A field without a value is left out, so its writer gets no `undefined`. */
const withoutUndefined = (ast: AST.AST): AST.AST =>
  AST.isUnion(ast) ? AST.Union.make(ast.types.filter((type) => !AST.isUndefinedKeyword(type))) : ast
