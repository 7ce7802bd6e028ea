/** Annotations of endpoints. */
export * as Annotations from "./Annotations.ts"
/** Bearer tokens. */
export * as Authorization from "./Authorization.ts"
/** What callers authenticate with. */
export * as Credential from "./Credential.ts"
/** Cursors of lists. */
export * as Cursor from "./Cursor.ts"
/** The body of every error response. */
export * as ErrorBody from "./ErrorBody.ts"
/** The header that identifies a repeated request. */
export * as IdempotencyKey from "./IdempotencyKey.ts"
/** 64-bit integers in paths and queries. */
export * as Int64Text from "./Int64Text.ts"
/** Validation errors as messages. */
export * as Issues from "./Issues.ts"
/** Parses JSON with exact integers. */
export * as Json from "./Json.ts"
/** Encodes JSON with exact integers. */
export * as JsonEncoder from "./JsonEncoder.ts"
/** The OpenAPI document. */
export * as OpenApiDocument from "./OpenApiDocument.ts"
/** Pages of lists. */
export * as Paging from "./Paging.ts"
