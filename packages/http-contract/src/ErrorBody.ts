/** The body of every error response. */
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"

/** Every error code, with its HTTP status, its meaning, and what callers can do about it. */
export const errors = {
  malformed_json: [400, "The body is not JSON", "send the body as JSON, in UTF-8"],
  invalid_body: [
    400,
    "The body lacks required fields or has invalid values",
    "correct the fields that the message names"
  ],
  invalid_parameter: [
    400,
    "A query parameter has an invalid value",
    "correct the parameter that the message names; follow `Link` headers instead of building a `cursor`"
  ],
  bad_request: [
    400,
    "The request is not valid HTTP, or a header has an invalid value",
    "correct the request as the message says"
  ],
  unauthorized: [
    401,
    "The API key is missing or invalid",
    "send `Authorization: Bearer <key>`; if the key has ended, ask for a new one"
  ],
  forbidden: [
    403,
    "The API key lacks the scope for this operation",
    "use a key with the scope that the message names"
  ],
  pet_not_found: [404, "There is no such animal", "check the id"],
  not_found: [
    404,
    "There is nothing at this path",
    "check the address, and that it starts with `/v1`"
  ],
  method_not_allowed: [
    405,
    "The path exists, the method does not",
    "use a method that the `Allow` header names"
  ],
  request_timeout: [408, "The request arrived too slowly", "send it again; check the connection"],
  gone: [410, "The operation has been removed", "use the operation that the `Link` header names"],
  payload_too_large: [413, "The body is too large", "send less; the message names the limit"],
  unsupported_media_type: [
    415,
    "The body is not declared as plain application/json",
    "send `Content-Type: application/json`, without a content encoding"
  ],
  idempotency_key_reused: [
    422,
    "The key was used with another body",
    "use a new key for another animal"
  ],
  rate_limited: [
    429,
    "The API key was used too often",
    "wait as long as `Retry-After` says, then send it again"
  ],
  headers_too_large: [431, "The request's headers are too large", "send fewer or shorter headers"],
  internal_error: [
    500,
    "The service failed unexpectedly",
    "report it, with the `X-Request-Id` of the response"
  ],
  unavailable: [
    503,
    "The service is temporarily unavailable; try again later",
    "wait as long as `Retry-After` says, then send it again; send creates with an `Idempotency-Key`"
  ]
} as const

/** A machine-readable error code. */
export type ErrorCode = keyof typeof errors

/** What a code means, for the OpenAPI document. */
export const meaningOf = (code: ErrorCode): string => errors[code][1]

/** What a caller can do about an error. */
export const adviceOf = (code: ErrorCode): string => errors[code][2]

/** The body of an error response. */
export interface ErrorBody<Code extends ErrorCode = ErrorCode> {
  readonly code: Code
  readonly message: string
  readonly status: (typeof errors)[Code][0]
}

const maxLength = 300

/** An error body. Messages are cut at 300 characters, since some contain input. */
export const make = <Code extends ErrorCode>(code: Code, message: string): ErrorBody<Code> => ({
  code,
  message:
    message.length > maxLength ? `${message.slice(0, maxLength - 1).toWellFormed()}…` : message,
  status: errors[code][0]
})

/** The schema `Error` of the OpenAPI document. */
export const ErrorSchema = Schema.Struct({
  code: Schema.String.annotations({
    description: "Machine-readable error code; more may be added",
    examples: ["pet_not_found"]
  }),
  message: Schema.String.annotations({
    description: "Human-readable description, of up to 300 characters",
    examples: ["there is no pet 7"]
  }),
  status: Schema.Number.annotations({
    jsonSchema: {
      type: "integer",
      description: "The HTTP status code of the response",
      examples: [404]
    }
  })
}).annotations({ identifier: "Error", description: "What went wrong" })

const codeId = Symbol.for("@petstore/http-contract/ErrorCode")

/** The schema of the errors with these codes, for endpoints to declare. */
export const schema = <Code extends ErrorCode>(...codes: ReadonlyArray<Code>) =>
  Schema.Union(...codes.map(schemaOf))

const schemaOf = <Code extends ErrorCode>(code: Code) =>
  Schema.Struct({
    code: Schema.Literal(code),
    message: Schema.String,
    status: Schema.Literal(errors[code][0])
  }).annotations({
    ...HttpApiSchema.annotations({ status: errors[code][0] }),
    jsonSchema: { $ref: "#/components/schemas/Error" },
    [codeId]: code
  })

/** The codes that a declared error can have. */
export const codesOf = (ast: AST.AST): ReadonlyArray<ErrorCode> =>
  AST.isUnion(ast)
    ? ast.types.flatMap(codesOf)
    : Option.toArray(AST.getAnnotation<ErrorCode>(ast, codeId))
