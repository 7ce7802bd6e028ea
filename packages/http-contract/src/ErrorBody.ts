/** The body of every error response. */
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"

/** An error: its HTTP status, its meaning, what callers can do about it, and a message as they get it. */
export type Entry = readonly [status: number, meaning: string, advice: string, example: string]

/** The errors of the Pet Store, most of which any API has. */
export const errors = {
  malformed_json: [
    400,
    "The body is not JSON",
    "send the body as JSON, in UTF-8",
    "the body is empty"
  ],
  invalid_body: [
    400,
    "The body lacks required fields or has invalid values",
    "correct the fields that the message names",
    "name is required; categoryId must be an integer; status must be one of available, pending, sold"
  ],
  invalid_parameter: [
    400,
    "A query parameter has an invalid value",
    "correct the parameter that the message names; follow `Link` headers instead of building a `cursor`",
    "limit must be a whole number from 1 to 100"
  ],
  bad_request: [
    400,
    "The request is not valid HTTP, or a header has an invalid value",
    "correct the request as the message says",
    "the request needs exactly one Host header"
  ],
  unauthorized: [
    401,
    "The API key is missing or invalid",
    "send `Authorization: Bearer <key>`; if the key has ended, ask for a new one",
    "an API key is required: send the header Authorization: Bearer <key>"
  ],
  forbidden: [
    403,
    "The API key lacks the scope for this operation",
    "use a key with the scope that the message names",
    "the API key lacks the scope pets:write"
  ],
  pet_not_found: [404, "There is no such pet", "check the id", "there is no pet 7"],
  not_found: [
    404,
    "There is nothing at this path",
    "check the address, and that it starts with `/v1`",
    "there is nothing at this path"
  ],
  method_not_allowed: [
    405,
    "The path exists, the method does not",
    "use a method that the `Allow` header names",
    "this path answers GET, HEAD, OPTIONS"
  ],
  request_timeout: [
    408,
    "The request arrived too slowly",
    "send it again; check the connection",
    "the request arrived too slowly"
  ],
  gone: [
    410,
    "The operation has been removed",
    "use the operation that the `Link` header names",
    "this operation is gone; use /v1/pets instead"
  ],
  payload_too_large: [
    413,
    "The body is too large",
    "send less; the message names the limit",
    "the body must have at most 65536 bytes"
  ],
  unsupported_media_type: [
    415,
    "The body is not declared as plain application/json",
    "send `Content-Type: application/json`, without a content encoding",
    "the Content-Type must be application/json"
  ],
  idempotency_key_reused: [
    422,
    "The key was used with another body",
    "use a new key for another pet",
    "this Idempotency-Key was used with another body: use a new one for another pet"
  ],
  rate_limited: [
    429,
    "The API key was used too often, or one address sent too many wrong keys",
    "wait as long as `Retry-After` says, then send it again",
    "at most 600 requests in 60 s; wait 12 s"
  ],
  headers_too_large: [
    431,
    "The request's headers are too large",
    "send fewer or shorter headers",
    "the request's headers are too large"
  ],
  internal_error: [
    500,
    "The service failed unexpectedly",
    "report it, with the `X-Request-Id` of the response",
    "something went wrong; tell us the id 0f6d3a1c9b2e-1k"
  ],
  unavailable: [
    503,
    "The service is temporarily unavailable; try again later",
    "wait as long as `Retry-After` says, then send it again; send creates with an `Idempotency-Key`",
    "the store is busy"
  ]
} as const satisfies Readonly<Record<string, Entry>>

/** A machine-readable error code. */
export type ErrorCode = keyof typeof errors

/** The body of an error response. */
export interface ErrorBody<Code extends string = string, Status extends number = number> {
  readonly code: Code
  readonly message: string
  readonly status: Status
}

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

const maxLength = 300
const kindId = Symbol.for("@petstore/http-contract/ErrorKind")

/** An error that an endpoint declares. */
export interface Kind {
  readonly code: string
  readonly meaning: string
  /** A message as callers get it. */
  readonly example: string
}

/** An error body. Messages are cut at 300 characters, since some contain input. */
export const of = <Code extends string, Status extends number>(
  code: Code,
  status: Status,
  message: string
): ErrorBody<Code, Status> => ({
  code,
  message:
    message.length > maxLength ? `${message.slice(0, maxLength - 1).toWellFormed()}…` : message,
  status
})

/** The bodies and the schemas of errors, by their codes, for an API of one's own. */
export const define = <Code extends string, const Table extends Readonly<Record<Code, Entry>>>(
  table: Table & Readonly<Record<Code, Entry>>
) => {
  const schemaOf = <C extends Code>(code: C) => {
    const [status, meaning, , example] = table[code]
    const kind: Kind = { code, meaning, example }
    return Schema.Struct({
      code: Schema.Literal(code),
      message: Schema.String,
      status: Schema.Literal<[Table[C][0]]>(status)
    }).annotations({
      ...HttpApiSchema.annotations({ status }),
      jsonSchema: { $ref: "#/components/schemas/Error" },
      [kindId]: kind
    })
  }

  return {
    /** An error body. */
    make: <C extends Code>(code: C, message: string): ErrorBody<C, Table[C][0]> =>
      of(code, table[code][0], message),
    /** The schema of the errors with these codes, for endpoints to declare. */
    schema: <C extends Code>(...codes: ReadonlyArray<C>) => Schema.Union(...codes.map(schemaOf))
  }
}

// Not taken apart here: bundlers would keep it for what uses no error.
const ofPetStore = define(errors)

/** An error body of the Pet Store. */
export const make = <C extends ErrorCode>(code: C, message: string) =>
  ofPetStore.make(code, message)

/** The schema of errors of the Pet Store, for endpoints to declare. */
export const schema = <C extends ErrorCode>(...codes: ReadonlyArray<C>) =>
  ofPetStore.schema(...codes)

/** The errors that the transport itself answers, whatever the request is for: an API declares them. */
export const OfTransport = schema(
  ...(["bad_request", "forbidden", "method_not_allowed", "request_timeout"] as const),
  ...(["rate_limited", "headers_too_large", "internal_error"] as const)
)

/** The errors that the transport itself answers to requests with a body: an endpoint that has one declares them. */
export const OfBody = schema(
  ...(["malformed_json", "invalid_body", "payload_too_large", "unsupported_media_type"] as const)
)

/** What a declared error can be. */
export const kindsOf = (ast: AST.AST): ReadonlyArray<Kind> =>
  AST.isUnion(ast)
    ? ast.types.flatMap(kindsOf)
    : Option.toArray(AST.getAnnotation<Kind>(ast, kindId))
