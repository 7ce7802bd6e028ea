/** What is wrong with an input, in the caller's words. */
import * as ParseResult from "effect/ParseResult"

/** Names every bad field and why; `whole` names the input where it is bad as a whole. */
export const describe = (error: ParseResult.ParseError, whole: string): string => {
  const issues = ParseResult.ArrayFormatter.formatErrorSync(error)
  return issues
    .map((issue) => {
      if (issue.path.length === 0) return `${whole} must be an object`
      const field = issue.path.map(String).join(".")
      return issue._tag === "Missing" ? `${field} is required` : `${field} ${issue.message}`
    })
    .join("; ")
}
