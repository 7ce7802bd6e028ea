/** Calls a Pet Store service with Effect. */
export * from "./Errors.ts"
export type { Deprecation, Fetch, FetchInit, Idempotency, RequestOptions } from "./Options.ts"
export {
  type ListQuery,
  type NewPet,
  type OtherStatus,
  type Page,
  type Pet,
  type PetStatus,
  petStatuses
} from "./Pet.ts"
export {
  type CallOptions,
  layer,
  layerConfig,
  type Options,
  PetStoreClient
} from "./PetStoreClient.ts"
