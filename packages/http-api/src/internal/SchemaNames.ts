/**
 * The names of a contract's schemas. Annotating a schema with a status, as `addSuccess(schema, { status })` does, makes a
 * copy without its identifier, which the document would repeat in full instead of naming it.
 */
import * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Option from "effect/Option"
import * as AST from "effect/SchemaAST"

/** The name of the schema that a schema is a copy of, if the contract has it elsewhere. */
export const make = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
): ((ast: AST.AST) => Option.Option<string>) => {
  const named = new Map<unknown, AST.AST>()
  const known = new Set<AST.AST>()
  const visit = (ast: AST.AST): void => {
    if (known.has(ast)) return
    known.add(ast)
    if (Option.isSome(AST.getIdentifierAnnotation(ast))) named.set(contentOf(ast), ast)
    partsOf(ast).forEach(visit)
  }
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ payloads, successes }) => {
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
