/** The errors of the client: a class for each code of the contract, and for what can fail without an answer. Bundlers leave out unused ones. */
import { ClientError, type Failure, failure } from "./Failure.ts"

export type { Facts, Failure, FailureClass, TagOf } from "./Failure.ts"

/** 400: the body is not JSON. */
export class MalformedJson extends /*#__PURE__*/ failure("malformed_json") {}
/** 400: the body lacks required fields or has invalid values. */
export class InvalidBody extends /*#__PURE__*/ failure("invalid_body") {}
/** 400: a query parameter has an invalid value, such as a damaged `after`. */
export class InvalidParameter extends /*#__PURE__*/ failure("invalid_parameter") {}
/** 400: the request is not valid HTTP, or a header has an invalid value. */
export class BadRequest extends /*#__PURE__*/ failure("bad_request") {}
/** 401: the bearer token, such as an API key, is missing or invalid. */
export class Unauthorized extends /*#__PURE__*/ failure("unauthorized") {}
/** 403: the token lacks the scope for this operation. */
export class Forbidden extends /*#__PURE__*/ failure("forbidden") {}
/** 404: there is nothing at this path; `baseUrl` may be wrong. */
export class NotFound extends /*#__PURE__*/ failure("not_found") {}
/** 404: there is no such pet. */
export class PetNotFound extends /*#__PURE__*/ failure("pet_not_found") {}
/** 405: the path exists, the method does not. */
export class MethodNotAllowed extends /*#__PURE__*/ failure("method_not_allowed") {}
/** 408: the request arrived too slowly. */
export class RequestTimeout extends /*#__PURE__*/ failure("request_timeout") {}
/** 410: the operation has been removed. */
export class Gone extends /*#__PURE__*/ failure("gone") {}
/** 413: the body is too large. */
export class PayloadTooLarge extends /*#__PURE__*/ failure("payload_too_large") {}
/** 415: the body is not declared as plain application/json. */
export class UnsupportedMediaType extends /*#__PURE__*/ failure("unsupported_media_type") {}
/** 422: the idempotency key was used with another body. */
export class IdempotencyKeyReused extends /*#__PURE__*/ failure("idempotency_key_reused") {}
/** 429: too many requests with this token. */
export class RateLimited extends /*#__PURE__*/ failure("rate_limited") {}
/** 431: the request's headers are too large, or too many. */
export class HeadersTooLarge extends /*#__PURE__*/ failure("headers_too_large") {}
/** 500: the service failed unexpectedly. */
export class InternalError extends /*#__PURE__*/ failure("internal_error") {}
/** 503, or 502 and 504 of a gateway: the service is temporarily unavailable. */
export class Unavailable extends /*#__PURE__*/ failure("unavailable") {}

/** The service answered with a code that is not among those of the operation; the message begins with it. */
export class UnknownError extends /*#__PURE__*/ failure("unknown_error") {}
/** An input or an option is invalid; nothing was sent. */
export class InvalidInput extends /*#__PURE__*/ failure("invalid_input") {}
/** No answer, or only a part of one. */
export class NetworkFailure extends /*#__PURE__*/ failure("network_failure") {}
/** The call took longer than its timeout; the cause is the error of its last try, if there was one. */
export class TimedOut extends /*#__PURE__*/ failure("timed_out") {}
/** The answer is not one of the service. */
export class InvalidAnswer extends /*#__PURE__*/ failure("invalid_answer") {}

/** The codes that every operation can answer with. */
export const commonCodes = [
  "bad_request",
  "unauthorized",
  "forbidden",
  "not_found",
  "method_not_allowed",
  "request_timeout",
  "rate_limited",
  "headers_too_large",
  "internal_error",
  "unavailable"
] as const

/** The codes that operations with a body can answer with, in addition. */
export const bodyCodes = [
  "malformed_json",
  "invalid_body",
  "payload_too_large",
  "unsupported_media_type"
] as const

/** A code of the contract. */
export type ErrorCode =
  | (typeof commonCodes | typeof bodyCodes)[number]
  | "invalid_parameter"
  | "idempotency_key_reused"
  | "gone"
  | "pet_not_found"

/** The codes of what fails without an answer of the service, or with one that is not understood. */
export type ClientCode =
  | "unknown_error"
  | "invalid_input"
  | "network_failure"
  | "timed_out"
  | "invalid_answer"

/** The errors with these codes. */
export type ErrorWith<Code extends string> = { readonly [One in Code]: Failure<One> }[Code]

/** What a call of any operation can fail with. */
export type CommonError = ErrorWith<(typeof commonCodes)[number] | ClientCode>

/** Whatever a call can fail with. */
export type PetStoreError = CommonError | ErrorWith<ErrorCode>

/** Whether a value is an error of the client. */
export const isPetStoreError = (error: unknown): error is PetStoreError =>
  error instanceof ClientError
