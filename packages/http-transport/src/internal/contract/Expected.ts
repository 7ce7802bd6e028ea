/** What a schema expects of a value, in words of ours: by its type, its keywords of JSON Schema and its identifier. */
import * as Option from "effect/Option"
import * as AST from "effect/SchemaAST"

/** What a value must be or have. */
export const describe = (ast: AST.AST): string => {
  const rules = rulesOf(ast)
  if (rules.length > 0) return rules.join(" and ")
  const alternatives = alternativesOf(ast)
  const literals = alternatives.filter(AST.isLiteral)
  if (AST.isUnion(ast) && literals.length === alternatives.length)
    return `must be one of ${literals.map(({ literal }) => literal).join(", ")}`
  // The type of a refinement is right: its condition is not met, which has no words.
  const noun = AST.isRefinement(ast) ? undefined : nounOf(ast)
  if (noun !== undefined) return `must be ${noun}`
  return Option.match(AST.getIdentifierAnnotation(ast), {
    onNone: () => "is not valid",
    onSome: (name) => `must be a valid ${name}`
  })
}

/** What may be left out of a union: the value itself may be. */
const alternativesOf = (ast: AST.AST): ReadonlyArray<AST.AST> =>
  AST.isUnion(ast)
    ? ast.types.filter((type) => !AST.isUndefinedKeyword(type)).flatMap(alternativesOf)
    : [ast]

const nouns: Readonly<Partial<Record<AST.AST["_tag"], string>>> = {
  StringKeyword: "a string",
  NumberKeyword: "a number",
  BooleanKeyword: "a boolean",
  BigIntKeyword: "an integer",
  TypeLiteral: "an object",
  TupleType: "an array"
}

/** The type of a value, if it is one of JSON. */
const nounOf = (ast: AST.AST): string | undefined => {
  switch (ast._tag) {
    case "Literal":
      return String(ast.literal)
    case "Refinement":
      return nounOf(ast.from)
    case "Transformation":
      return nounOf(ast.to)
    case "Union": {
      const found = alternativesOf(ast).map(nounOf)
      return found.includes(undefined) ? undefined : [...new Set(found)].join(" or ")
    }
    default:
      return nouns[ast._tag]
  }
}

/** The keywords of JSON Schema that built-in refinements have. */
const keywords: Readonly<Record<string, (limit: unknown) => string>> = {
  type: (type) => (type === "integer" ? "must be an integer" : "must be a finite number"),
  minLength: (limit) =>
    limit === 1 ? "must not be empty" : `must have at least ${limit} characters`,
  maxLength: (limit) => `must have at most ${limit} characters`,
  pattern: (pattern) => `must match the pattern ${pattern}`,
  minimum: (limit) => `must be at least ${limit}`,
  maximum: (limit) => `must be at most ${limit}`,
  exclusiveMinimum: (limit) => `must be greater than ${limit}`,
  exclusiveMaximum: (limit) => `must be less than ${limit}`,
  multipleOf: (divisor) => `must be a multiple of ${divisor}`,
  minItems: (limit) => (limit === 1 ? "must not be empty" : `must have at least ${limit} items`),
  maxItems: (limit) => `must have at most ${limit} items`
}

const rulesOf = (ast: AST.AST): ReadonlyArray<string> => {
  if (!AST.isRefinement(ast)) return []
  const stated = Option.getOrElse(AST.getJSONSchemaAnnotation(ast), () => ({}))
  return Object.entries(stated).flatMap(([name, limit]) => keywords[name]?.(limit) ?? [])
}
