/** Validation errors as messages for the caller. Messages of Schema itself are not used, since they quote the input. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as ParseResult from "effect/ParseResult"
import * as AST from "effect/SchemaAST"
import * as Expected from "./internal/contract/Expected.ts"

/**
 * Describes every invalid field; `whole` is what to call the input itself, and `isRepeated` says which fields were given
 * several times. A message of a schema follows the name of the field, as in `name must not be empty`; one that is an Effect is
 * ignored, since nothing is run here.
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
    case "Unexpected":
      return [{ path, message: "is not expected" }]
    case "Forbidden":
      return [{ path, message: "is not allowed" }]
    case "Pointer":
      return problemsOf(issue.issue, path.concat(issue.path), isOfFilter)
  }
  const declared = declaredMessage(issue)
  if (declared !== undefined) return [{ path, message: declared }]
  switch (issue._tag) {
    case "Type":
      return [{ path, message: (isOfFilter && issue.message) || Expected.describe(issue.ast) }]
    case "Refinement":
      return problemsOf(issue.issue, path, issue.kind === "Predicate")
    case "Transformation":
      return problemsOf(issue.issue, path)
    case "Composite": {
      const inner = [issue.issues].flat()
      if (issue.ast._tag !== "Union")
        return inner.flatMap((one) => problemsOf(one, path, isOfFilter))
      const members = inner.flatMap(membersOf)
      if (members.length === 1) return members.flatMap((one) => problemsOf(one, path))
      // An alternative whose type is right is most likely the one that was meant, unless a literal may be, too.
      const meant = members.filter((one) => !isOfOtherType(one))
      if (meant.length === 1 && !meant.some(({ _tag }) => _tag === "Type"))
        return meant.flatMap((one) => problemsOf(one, path))
      const isComposite = meant.some(({ _tag }) => _tag === "Composite")
      const message = isComposite ? "has none of the allowed forms" : Expected.describe(issue.ast)
      return [{ path, message }]
    }
  }
}

/** What is wrong with each alternative, except that the value may be left out. */
const membersOf = (issue: ParseResult.ParseIssue): ReadonlyArray<ParseResult.ParseIssue> => {
  if (issue._tag === "Type" && AST.isUndefinedKeyword(issue.ast)) return []
  return issue._tag === "Composite" &&
    AST.isUnion(issue.ast) &&
    declaredMessage(issue) === undefined
    ? [issue.issues].flat().flatMap(membersOf)
    : [issue]
}

/** Whether a value does not even have the type of the schema. */
const isOfOtherType = (issue: ParseResult.ParseIssue): boolean => {
  switch (issue._tag) {
    case "Refinement":
      return issue.kind === "From" && isOfOtherType(issue.issue)
    case "Transformation":
      return issue.kind === "Encoded" && isOfOtherType(issue.issue)
    case "Composite":
      return AST.isUnion(issue.ast) && [issue.issues].flat().every(isOfOtherType)
    case "Type": {
      const { actual, ast } = issue
      return !AST.isLiteral(ast) || ast.literal === null || typeof ast.literal !== typeof actual
    }
    default:
      return false
  }
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
