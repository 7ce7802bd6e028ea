/** Calls a Pet Store service with Effect. */
export * from "./Errors.ts"
export type { OperationError, OperationName, OwnError } from "./OperationError.ts"
export type {
  Deprecation,
  Fetch,
  FetchInit,
  Hooks,
  Idempotency,
  Method,
  RequestDetails,
  RequestOptions,
  RetryDetails
} from "./Options.ts"
export {
  type CallOptions,
  layer,
  layerConfig,
  type Methods,
  type Options,
  PetStoreClient
} from "./PetStoreClient.ts"
export * from "./Resources.ts"
