/** Annotations of endpoints. */
export * as Annotations from "./Annotations.ts"
/** Any API over HTTP. */
export * as ApiServer from "./ApiServer.ts"
/** Who calls. */
export * as Authentication from "./Authentication.ts"
/** Bearer tokens. */
export * as Authorization from "./Authorization.ts"
/** The address of the caller. */
export * as ClientAddress from "./ClientAddress.ts"
/** Cursors of lists. */
export * as Cursor from "./Cursor.ts"
/** The body of every error response. */
export * as ErrorBody from "./ErrorBody.ts"
/** Handlers: their types, and a failure that most have. */
export * as Handlers from "./Handlers.ts"
/** The listening socket. */
export * as HttpListener from "./HttpListener.ts"
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
/** A plain server of Node. */
export * as NodeServer from "./NodeServer.ts"
/** What watches requests. */
export * as Observer from "./Observer.ts"
/** The OpenAPI document. */
export * as OpenApiDocument from "./OpenApiDocument.ts"
/** Pages of lists. */
export * as Paging from "./Paging.ts"
/** An API as a function, for tests of callers. */
export * as WebHandler from "./WebHandler.ts"
