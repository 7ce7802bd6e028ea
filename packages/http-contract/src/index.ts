/** What the contract says of an endpoint beyond the words that HttpApi has. */
export * as Annotations from "./Annotations.ts"
/** Where a list goes on. */
export * as Cursor from "./Cursor.ts"
/** The one shape of every error. */
export * as ErrorBody from "./ErrorBody.ts"
/** What is wrong with an input, in its sender's words. */
export * as Issues from "./Issues.ts"
/** Reading JSON with exact integers. */
export * as Json from "./Json.ts"
/** Writing JSON with exact integers. */
export * as JsonEncoder from "./JsonEncoder.ts"
/** The OpenAPI document. */
export * as OpenApiDocument from "./OpenApiDocument.ts"
/** The contract. */
export * as PetStoreApi from "./PetStoreApi.ts"
