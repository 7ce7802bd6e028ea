/** Annotations of endpoints. */
export * as Annotations from "./Annotations.ts"
/** Cursors of lists. */
export * as Cursor from "./Cursor.ts"
/** The body of every error response. */
export * as ErrorBody from "./ErrorBody.ts"
/** The header that identifies a repeated request. */
export * as IdempotencyKey from "./IdempotencyKey.ts"
/** Validation errors as messages. */
export * as Issues from "./Issues.ts"
/** Parses JSON with exact integers. */
export * as Json from "./Json.ts"
/** Encodes JSON with exact integers. */
export * as JsonEncoder from "./JsonEncoder.ts"
/** The OpenAPI document. */
export * as OpenApiDocument from "./OpenApiDocument.ts"
/** The contract. */
export * as PetStoreApi from "./PetStoreApi.ts"
