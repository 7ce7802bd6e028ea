/** The one shape of every answer that is not a success. */
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"

/** Every error code and the HTTP status that goes with it. */
export const statuses = {
  malformed_json: 400,
  invalid_body: 400,
  invalid_parameter: 400,
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  pet_not_found: 404,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  gone: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  headers_too_large: 431,
  internal_error: 500,
  unavailable: 503
} as const

/** A machine-readable error code. */
export type ErrorCode = keyof typeof statuses

/** When each code is answered. */
export const meanings: Readonly<Record<ErrorCode, string>> = {
  malformed_json: "The body is not JSON",
  invalid_body: "The body lacks required fields or has invalid values",
  invalid_parameter: "A query parameter has an invalid value",
  bad_request: "The request is not valid HTTP",
  unauthorized: "The API key is missing or invalid",
  forbidden: "The API key lacks the scope for this operation",
  pet_not_found: "There is no such animal",
  not_found: "There is nothing at this path",
  method_not_allowed: "The path exists, the method does not",
  request_timeout: "The request arrived too slowly",
  gone: "The operation has been removed",
  payload_too_large: "The body is too large",
  unsupported_media_type: "The body is not declared as plain application/json",
  rate_limited: "The API key was used too often",
  headers_too_large: "The request's headers are too large",
  internal_error: "The service failed in a way it did not foresee",
  unavailable: "The service cannot answer now; a later try may succeed"
}

/** The body of an error: what went wrong, for machines and for people. */
export interface ErrorBody<Code extends ErrorCode = ErrorCode> {
  readonly code: Code
  readonly message: string
  readonly status: (typeof statuses)[Code]
}

const longest = 300

/** An error body. A message that grew long with its input is cut at 300 characters. */
export const make = <Code extends ErrorCode>(code: Code, message: string): ErrorBody<Code> => ({
  code,
  message: message.length > longest ? `${message.slice(0, longest - 1).toWellFormed()}…` : message,
  status: statuses[code]
})

/** The error body as the OpenAPI document names it. */
export const ErrorSchema = Schema.Struct({
  code: Schema.String.annotations({ description: "Machine-readable error code" }),
  message: Schema.String.annotations({ description: "Human-readable description" }),
  status: Schema.Int.annotations({ description: "The HTTP status code of the response" })
}).annotations({ identifier: "Error", description: "What went wrong" })

/** The error with this code, for an endpoint of the contract to declare. */
export const schema = <Code extends ErrorCode>(code: Code) =>
  Schema.Struct({
    code: Schema.Literal(code),
    message: Schema.String,
    status: Schema.Literal(statuses[code])
  }).annotations({
    ...HttpApiSchema.annotations({ status: statuses[code] }),
    jsonSchema: { $ref: "#/components/schemas/Error" }
  })

/** The codes that a declared error can have. */
export const codesOf = (ast: AST.AST): ReadonlyArray<ErrorCode> => {
  if (AST.isUnion(ast)) return ast.types.flatMap(codesOf)
  if (!AST.isTypeLiteral(ast)) return []
  const code = ast.propertySignatures.find((signature) => signature.name === "code")?.type
  return code !== undefined && AST.isLiteral(code) && isCode(code.literal) ? [code.literal] : []
}

const isCode = (value: unknown): value is ErrorCode =>
  typeof value === "string" && Object.hasOwn(statuses, value)
