/** What Effect's own schemas say, by their default annotations. Effect marks filters by a schema id, but not their texts. */
import * as Option from "effect/Option"
import * as AST from "effect/SchemaAST"
import * as Str from "effect/String"

/** The formats of Effect's schemas that decode a text into one of these. */
const formats: Readonly<Record<string, string>> = {
  Date: "date-time",
  "DateTime.Utc": "date-time",
  BigDecimal: "decimal",
  URL: "uri"
}

/** The format of a text, as JSON Schema names it: what the schema states, or what Effect's schema implies. */
export const formatOf = (ast: AST.AST): string | undefined => {
  const stated = Option.getOrUndefined(AST.getJSONSchemaAnnotation(ast))
  if (stated !== undefined) return "format" in stated ? String(stated.format) : undefined
  if (AST.isRefinement(ast)) return formatOf(ast.from)
  if (!AST.isTransformation(ast)) return undefined
  const source = Option.getOrElse(AST.getDescriptionAnnotation(ast.from), () => "")
  return formats[source.replace(/^a string to be decoded into a /, "")]
}

const descriptions = [
  /^a string (?:at|\d|matching|starting|ending|including|with)/,
  /^(?:a non empty|a lowercase|an uppercase|a u?n?capitalized) string$/,
  /^(?:a single character|an integer|a valid Date|a Universally Unique Identifier)$/,
  /^a (?:number|bigint|BigDecimal) (?:between|divisible|excluding|greater|less)/,
  /^a (?:finite|positive|negative|non-positive|non-negative) (?:number|bigint|BigDecimal)$/,
  /^an array of (?:at|exactly)/,
  /^a date (?:after|before|between)/
]

/** The description that Effect gave to a filter, unless the owner of the schema wrote one. */
export const descriptionOf = (ast: AST.Refinement): string | undefined => {
  const description = Option.getOrElse(AST.getDescriptionAnnotation(ast), () => "")
  return filterOf(ast) !== undefined && descriptions.some((one) => one.test(description))
    ? description
    : undefined
}

/** Whether Effect gave a filter its title, such as `maxLength(100)`, unless the owner of the schema wrote one. */
export const hasTitle = (ast: AST.Refinement): boolean => {
  const filter = filterOf(ast)
  const [called] = Option.getOrElse(AST.getTitleAnnotation(ast), () => "").split("(")
  return filter !== undefined && [filter, ...aliases].some((name) => name === called)
}

/** Titles of filters that are a case of another one. */
const aliases = "finite nonEmptyString positive negative nonPositive nonNegative".split(" ")

/** The name of a filter, such as `maxLength`. */
const filterOf = (ast: AST.Refinement): string | undefined => {
  const id = Option.getOrElse(AST.getSchemaIdAnnotation(ast), () => "")
  const [, name] = String(id).split(/^Symbol\(effect\/SchemaId\/|\)$/)
  return name && Str.uncapitalize(name)
}
