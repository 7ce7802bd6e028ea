/** Validation errors as messages for the caller. */
import * as ParseResult from "effect/ParseResult"

/** Describes every invalid field; `whole` is what to call the input if it is not an object. */
export const describe = (error: ParseResult.ParseError, whole: string): string =>
  ParseResult.ArrayFormatter.formatErrorSync(error)
    .map((issue) => {
      if (issue.path.length === 0) return `${whole} must be an object`
      const field = issue.path.map(String).join(".")
      return issue._tag === "Missing" ? `${field} is required` : `${field} ${issue.message}`
    })
    .join("; ")
