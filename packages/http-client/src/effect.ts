/** Calls a Pet Store service with Effect. */
export * from "./Errors.ts"
export type { OperationError, OperationName, OwnError } from "./internal/Operations.ts"
export * from "./Json.ts"
// `CallOptions` and `Options` below replace those of promises.
export type * from "./Options.ts"
export type * from "./Pet.ts"
export { petStatuses } from "./Pet.ts"
export {
  type CallOptions,
  layer,
  layerConfig,
  type Methods,
  type Options,
  PetStoreClient
} from "./PetStoreClient.ts"
