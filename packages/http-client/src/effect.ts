/** Calls a Pet Store service with Effect. */
export * from "./Errors.ts"
export type { CallHeaders, Deprecation, Fetch, FetchInit, Idempotency } from "./Options.ts"
export * from "./Pet.ts"
export {
  type CallOptions,
  layer,
  layerConfig,
  type Options,
  PetStoreClient
} from "./PetStoreClient.ts"
