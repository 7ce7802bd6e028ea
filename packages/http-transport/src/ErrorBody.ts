/** The body of every error response. */
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"

/** What there is to say about an error. */
export interface Entry {
  /** Its HTTP status. */
  readonly status: number
  readonly meaning: string
  /** What callers can do about it, if the meaning does not say it. */
  readonly advice?: string
  /** A message as callers get it. */
  readonly example: string
}

/** The message for a caller without a key. */
export const keyRequired = "an API key is required: send the header Authorization: Bearer <key>"

/** The message for callers while keys cannot be checked. */
export const keysUnreadable = "the API keys cannot be read"

/** The message for a caller whose key does not allow an operation. */
export const lacksScope = (scope: string | undefined): string =>
  `the API key lacks the scope ${scope}`

/** The errors that any API has, since the transport answers them or most handlers do. */
export const errors = {
  malformed_json: {
    status: 400,
    meaning: "The body is not JSON",
    advice: "send the body as JSON, in UTF-8",
    example: "the body is empty"
  },
  invalid_body: {
    status: 400,
    meaning: "The body lacks required fields or has invalid values",
    example: "the body must be an object"
  },
  invalid_parameter: {
    status: 400,
    meaning: "A query parameter has an invalid value",
    advice: "follow `Link` headers instead of building a `cursor`",
    example: "limit must be a whole number from 1 to 100"
  },
  bad_request: {
    status: 400,
    meaning: "The request is not valid HTTP, or a header has an invalid value",
    example: "the request needs exactly one Host header"
  },
  unauthorized: {
    status: 401,
    meaning: "The API key is missing or invalid",
    advice: "send `Authorization: Bearer <key>`; if the key has ended, ask for a new one",
    example: keyRequired
  },
  forbidden: {
    status: 403,
    meaning: "The API key lacks the scope for this operation",
    advice: "use a key with the scope that the message names",
    example: lacksScope("things:write")
  },
  not_found: {
    status: 404,
    meaning: "There is nothing at this path",
    advice: "check the address, and the version that it starts with",
    example: "there is nothing at this path"
  },
  method_not_allowed: {
    status: 405,
    meaning: "The path exists, the method does not",
    advice: "use a method that the `Allow` header names",
    example: "this path answers GET, HEAD, OPTIONS"
  },
  request_timeout: {
    status: 408,
    meaning: "The request arrived too slowly",
    advice: "check the connection",
    example: "the request arrived too slowly"
  },
  gone: {
    status: 410,
    meaning: "The operation has been removed",
    advice: "use the operation that the `Link` header names",
    example: "this operation is gone; use /v2/things instead"
  },
  payload_too_large: {
    status: 413,
    meaning: "The body is too large",
    example: "the body must have at most 65536 bytes"
  },
  unsupported_media_type: {
    status: 415,
    meaning: "The body is not declared as plain application/json",
    advice: "send `Content-Type: application/json`, without a content encoding",
    example: "the Content-Type must be application/json"
  },
  rate_limited: {
    status: 429,
    meaning: "The API key was used too often, or one address sent too many wrong keys",
    example: "at most 600 requests in 60 s; wait 12 s"
  },
  headers_too_large: {
    status: 431,
    meaning: "The request's headers are too large, or more than 100",
    example: "the request's headers are too large, or too many"
  },
  internal_error: {
    status: 500,
    meaning: "The service failed unexpectedly",
    advice: "report it, with the `X-Request-Id` of the response",
    example: "something went wrong; tell us the id 0f6d3a1c9b2e-1k"
  },
  unavailable: {
    status: 503,
    meaning: "The service is temporarily unavailable; try again later",
    example: "the service is shutting down"
  }
} as const satisfies Readonly<Record<string, Entry>>

/** The code of an error that any API has. */
export type ErrorCode = keyof typeof errors

/** The body of an error response. */
export interface ErrorBody<Code extends string = string, Status extends number = number> {
  /** Machine-readable. */
  readonly code: Code
  readonly message: string
  readonly status: Status
}

const maxLength = 300
const kindId = Symbol.for("@petstore/http-transport/ErrorKind")

/** An error that an endpoint declares. */
export interface Kind extends Pick<Entry, "meaning" | "example"> {
  readonly code: string
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

/** The bodies and the schemas of the errors of an API, by their codes. */
export const define = <Code extends string, const Table extends Readonly<Record<Code, Entry>>>(
  table: Table & Readonly<Record<Code, Entry>>
) => {
  const schemaOf = <C extends Code>(code: C) => {
    const { example, meaning, status } = table[code]
    const kind: Kind = { code, example, meaning }
    return Schema.Struct({
      code: Schema.Literal(code),
      message: Schema.String,
      status: Schema.Literal<[Table[C]["status"]]>(status)
    }).annotations({
      ...HttpApiSchema.annotations({ status }),
      jsonSchema: { $ref: "#/components/schemas/Error" },
      [kindId]: kind
    })
  }

  return {
    /** What there is to say about each error. */
    table,
    /** An error body. */
    make: <C extends Code>(code: C, message: string): ErrorBody<C, Table[C]["status"]> =>
      of(code, table[code].status, message),
    /** The schema of the errors with these codes, for endpoints to declare. */
    schema: <C extends Code>(...codes: ReadonlyArray<C>) => Schema.Union(...codes.map(schemaOf))
  }
}

// Not taken apart here: bundlers would keep it for what uses no error.
const ofAnyApi = define(errors)

/** The body of an error that any API has. */
export const make = <C extends ErrorCode>(code: C, message: string) => ofAnyApi.make(code, message)

/** The schema of errors that any API has, for endpoints to declare. */
export const schema = <C extends ErrorCode>(...codes: ReadonlyArray<C>) => ofAnyApi.schema(...codes)

/** The errors that the transport itself answers, whatever the request is for: an API declares them. */
export const OfTransport = schema(
  ...(["bad_request", "forbidden", "method_not_allowed", "request_timeout"] as const),
  ...(["rate_limited", "headers_too_large", "internal_error"] as const)
)

/** What a declared error can be. */
export const kindsOf = (ast: AST.AST): ReadonlyArray<Kind> =>
  AST.isUnion(ast)
    ? ast.types.flatMap(kindsOf)
    : Option.toArray(AST.getAnnotation<Kind>(ast, kindId))
