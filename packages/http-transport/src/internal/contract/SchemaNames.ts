/**
 * The names of a contract's schemas, each of one schema. Annotating a schema with a status, as `addSuccess(schema, { status })` does, makes a
 * copy without its identifier, which the document would repeat in full instead of naming it.
 */
import * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApiJsonSchema from "@effect/platform/OpenApiJsonSchema"
import * as Arr from "effect/Array"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"

/** The name of the schema that a schema is a copy of, if the contract has it elsewhere. Throws if two schemas share a name. */
export const make = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
): ((ast: AST.AST) => Option.Option<string>) => {
  const named = new Map<unknown, AST.AST>()
  const byName = new Map<string, AST.AST>()
  const known = new Set<AST.AST>()
  const visit = (ast: AST.AST): void => {
    if (known.has(ast)) return
    known.add(ast)
    for (const name of Arr.fromOption(identifierOf(ast))) {
      const other = byName.get(name) ?? ast
      if (other !== ast && documentOf(name, other) !== documentOf(name, ast))
        throw new Error(
          `two different schemas have the identifier ${name}: give one of them another`
        )
      byName.set(name, ast)
    }
    if (Option.isSome(AST.getIdentifierAnnotation(ast))) named.set(contentOf(ast), ast)
    partsOf(ast).forEach(visit)
  }
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, payloads, successes }) => {
      const { headersSchema, pathSchema, urlParamsSchema } = endpoint
      for (const { ast } of Arr.getSomes([pathSchema, urlParamsSchema, headersSchema])) visit(ast)
      for (const { ast } of payloads.values()) visit(ast)
      for (const { ast } of successes.values()) Option.map(ast, visit)
    }
  })
  return (ast) => {
    const original = named.get(contentOf(ast))
    return original !== undefined && isCopy(ast, original)
      ? AST.getIdentifierAnnotation(original)
      : Option.none()
  }
}

/** The name that the document has for a schema. That of a class is at its type. */
const identifierOf = (ast: AST.AST): Option.Option<string> =>
  Option.orElse(AST.getJSONIdentifier(ast), () =>
    AST.isTransformation(ast) && Option.isSome(AST.getSurrogateAnnotation(ast.to))
      ? AST.getJSONIdentifier(ast.to)
      : Option.none()
  )

/** What the document says of a schema with this name. */
const documentOf = (name: string, ast: AST.AST): string => {
  const defs: Record<string, unknown> = {}
  OpenApiJsonSchema.makeWithDefs(Schema.make(ast), { defs })
  return JSON.stringify(defs[name])
}

/** What a copy of a schema has in common with it, and with no other schema. */
const contentOf = (ast: AST.AST): unknown => {
  switch (ast._tag) {
    case "TypeLiteral":
      return ast.propertySignatures
    case "TupleType":
      return ast.rest
    case "Union":
      return ast.types
    case "Transformation":
      return ast.to
    default:
      return ast
  }
}

const partsOf = (ast: AST.AST): ReadonlyArray<AST.AST> => {
  switch (ast._tag) {
    case "TypeLiteral":
      return [...ast.propertySignatures, ...ast.indexSignatures].map(({ type }) => type)
    case "TupleType":
      return [...ast.elements, ...ast.rest].map(({ type }) => type)
    case "Union":
      return ast.types
    case "Refinement":
    case "Transformation":
      return [ast.from]
    case "Suspend":
      return [ast.f()]
    default:
      return []
  }
}

/** Whether nothing was annotated but what HTTP needs. */
const isCopy = (ast: AST.AST, original: AST.AST): boolean => {
  const { [AST.IdentifierAnnotationId]: _, ...expected } = original.annotations
  const { [HttpApiSchema.AnnotationStatus]: __, ...found } = ast.annotations
  return (
    Reflect.ownKeys(found).length === Reflect.ownKeys(expected).length &&
    Reflect.ownKeys(found).every((key) => Reflect.get(found, key) === Reflect.get(expected, key))
  )
}
