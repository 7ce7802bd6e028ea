/** Validation errors as messages for the caller. */
import * as ParseResult from "effect/ParseResult"

/**
 * Describes every invalid field; `whole` is what to call the input if it is not an object, and `isRepeated` says which
 * fields were given several times.
 */
export const describe = (
  error: ParseResult.ParseError,
  whole: string,
  isRepeated: (field: string) => boolean = () => false
): string =>
  ParseResult.ArrayFormatter.formatErrorSync(error)
    .map((issue) => {
      if (issue.path.length === 0) return `${whole} must be an object`
      const field = issue.path.map(String).join(".")
      if (isRepeated(field)) return `${field} must be given once`
      return issue._tag === "Missing" ? `${field} is required` : `${field} ${issue.message}`
    })
    .join("; ")
