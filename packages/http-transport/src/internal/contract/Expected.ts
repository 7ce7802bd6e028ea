/** What a schema expects of a value, in words: by its type, and by what the OpenAPI document says of it. */
import * as Option from "effect/Option"
import * as AST from "effect/SchemaAST"

/** What a value must be or have. */
export const describe = (ast: AST.AST): string => {
  const rules = rulesOf(ast)
  if (rules.length > 0) return rules.join(" and ")
  const alternatives = alternativesOf(ast)
  const literals = alternatives.filter(AST.isLiteral)
  if (AST.isUnion(ast) && literals.length === alternatives.length) {
    return `must be one of ${literals.map(({ literal }) => literal).join(", ")}`
  }
  const noun = nounOf(ast)
  if (noun !== undefined) return `must be ${noun}`
  const name = Option.orElse(AST.getIdentifierAnnotation(ast), () => AST.getTitleAnnotation(ast))
  return Option.match(name, {
    onNone: () => "is not valid",
    onSome: (name) => `must be a valid ${name}`
  })
}

/** The type of a value, if it is one of JSON. */
const nounOf = (ast: AST.AST): string | undefined => {
  switch (ast._tag) {
    case "StringKeyword":
      return "a string"
    case "NumberKeyword":
      return "a number"
    case "BooleanKeyword":
      return "a boolean"
    case "BigIntKeyword":
      return "an integer"
    case "Literal":
      return String(ast.literal)
    case "TypeLiteral":
      return "an object"
    case "TupleType":
      return "an array"
    case "Suspend":
      return nounOf(ast.f())
    case "Refinement":
      return described(ast) ?? formatted(ast)
    case "Transformation":
      return formatted(ast) ?? nounOf(ast.to)
    case "Union": {
      const nouns = alternativesOf(ast).map(nounInUnion)
      return nouns.includes(undefined) ? undefined : [...new Set(nouns)].join(" or ")
    }
    default:
      return undefined
  }
}

/** What a value may be, except left out. */
const alternativesOf = (ast: AST.AST): ReadonlyArray<AST.AST> =>
  AST.isUnion(ast)
    ? ast.types.filter((type) => !AST.isUndefinedKeyword(type)).flatMap(alternativesOf)
    : [ast]

/** Of alternatives, the format or the type suffices. */
const nounInUnion = (ast: AST.AST): string | undefined =>
  AST.isRefinement(ast) || AST.isTransformation(ast)
    ? (formatted(ast) ?? nounInUnion(ast.from))
    : nounOf(ast)

/** What the description says that a value is, such as `a positive bigint` of Effect, in words of JSON. */
const described = (ast: AST.Refinement): string | undefined => {
  const description = Option.getOrElse(AST.getDescriptionAnnotation(ast), () => "")
  if (!/^an? (?!valid Date$)/.test(description)) return undefined
  return description
    .replace(/^a bigint/, "an integer")
    .replace("bigint", "integer")
    .replaceAll(/(?<=\d)n\b/g, "")
}

/** What a format is, in words. */
const formats: Readonly<Record<string, string>> = {
  "date-time": "a date and time such as 2026-01-02T03:04:05Z",
  decimal: "a decimal number such as 1.5",
  uri: "a URL such as https://example.org/",
  uuid: "a UUID"
}

const formatted = (ast: AST.AST): string | undefined => {
  const stated = Option.getOrUndefined(AST.getJSONSchemaAnnotation(ast))
  if (stated !== undefined && "format" in stated) return formats[String(stated.format)]
  if (AST.isRefinement(ast)) return formatted(ast.from)
  if (!AST.isTransformation(ast)) return undefined
  const format = formatIn(Option.getOrElse(AST.getDescriptionAnnotation(ast.from), () => ""))
  return format && formats[format]
}

/** The format of a text that Effect describes by what it is decoded into. */
export const formatIn = (description: string): string | undefined => {
  const [, type = ""] = /^a string to be decoded into a (.+)$/.exec(description) ?? []
  return { Date: "date-time", "DateTime.Utc": "date-time", BigDecimal: "decimal", URL: "uri" }[type]
}

/** The keywords of JSON Schema that built-in refinements have. */
const keywords: Readonly<Record<string, (limit: unknown) => string>> = {
  type: (type) => (type === "integer" ? "must be an integer" : ""),
  format: (format) => `must be ${formats[String(format)] ?? `a valid ${format}`}`,
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
  if (!AST.isRefinement(ast) && !AST.isTransformation(ast)) return []
  const stated = Option.getOrElse(AST.getJSONSchemaAnnotation(ast), () => ({}))
  return (
    Object.entries(stated)
      // A format says more to people than its pattern.
      .filter(([name]) => name !== "pattern" || !("format" in stated))
      .map(([name, limit]) => keywords[name]?.(limit) ?? "")
      .filter((rule) => rule !== "")
  )
}
