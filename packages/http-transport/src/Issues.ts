/** Validation errors as messages for the caller. Messages of Schema itself are not used, since they quote the input. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as ParseResult from "effect/ParseResult"
import * as AST from "effect/SchemaAST"

/**
 * Describes every invalid field; `whole` is what to call the input itself, and `isRepeated` says which fields were given
 * several times. A message of a schema follows the name of the field, as in `name must not be empty`.
 */
export const describe = (
  error: ParseResult.ParseError,
  whole: string,
  isRepeated: (field: string) => boolean = () => false
): string => {
  const problems = problemsOf(error.issue, []).map(({ message, path }) => {
    const field = path.map(String).join(".")
    if (path.length === 0) return `${whole} ${message}`
    return isRepeated(field) ? `${field} must be given once` : `${field} ${message}`
  })
  return [...new Set(problems)].join("; ")
}

interface Problem {
  readonly path: ReadonlyArray<PropertyKey>
  readonly message: string
}

/** The problems; the message of a filter is ours, as filters of Effect have none. */
const problemsOf = (
  issue: ParseResult.ParseIssue,
  path: Problem["path"],
  isOfFilter = false
): ReadonlyArray<Problem> => {
  switch (issue._tag) {
    case "Missing":
      return [{ path, message: "is required" }]
    case "Pointer":
      return problemsOf(issue.issue, path.concat(issue.path), isOfFilter)
    case "Unexpected":
    case "Forbidden":
      return [{ path, message: "is not valid" }]
  }
  const declared = declaredMessage(issue)
  if (declared !== undefined) return [{ path, message: declared }]
  switch (issue._tag) {
    case "Type":
      return [{ path, message: (isOfFilter && issue.message) || expected(issue.ast) }]
    case "Refinement":
      return problemsOf(issue.issue, path, issue.kind === "Predicate")
    case "Transformation":
      return problemsOf(issue.issue, path)
    case "Composite":
      return [issue.issues].flat().flatMap((one) => problemsOf(one, path, isOfFilter))
  }
}

/** What to say of a value whose schema has no message. */
const expected = ({ _tag }: AST.AST): string => {
  const noun = nouns[_tag]
  return noun === undefined ? "is not valid" : `must be ${noun}`
}

const nouns: Readonly<Partial<Record<AST.AST["_tag"], string>>> = {
  StringKeyword: "a string",
  NumberKeyword: "a number",
  BooleanKeyword: "a boolean",
  TypeLiteral: "an object"
}

/** The annotation `message` of a schema, by the rules of Schema: if it is of a whole, those of its parts are preferred. */
const declaredMessage = (
  issue: Exclude<
    ParseResult.ParseIssue,
    { readonly _tag: "Missing" | "Unexpected" | "Forbidden" | "Pointer" }
  >
): string | undefined => {
  const found = Option.getOrUndefined(AST.getMessageAnnotation(issue.ast))?.(issue)
  if (found === undefined) return undefined
  const { message, override } =
    typeof found === "string" || Effect.isEffect(found)
      ? { message: found, override: false }
      : found
  const isOfWhole =
    issue._tag === "Composite" ||
    (issue._tag === "Refinement" && issue.kind === "From") ||
    (issue._tag === "Transformation" && issue.kind !== "Transformation")
  if (isOfWhole && !override) return undefined
  return typeof message === "string" ? message : undefined
}
