/** Calls a Pet Store service with Effect. */
export * from "./Deprecation.ts"
export {
  type CallOptions,
  type ErrorOf,
  type MethodOf,
  type MethodsOf,
  makeClient,
  type Options,
  type PageOf,
  type SuccessOf
} from "./EffectClient.ts"
export * from "./Errors.ts"
export * from "./Json.ts"
// `CallOptions` and `Options` above replace those of promises.
export type * from "./Options.ts"
export type * from "./Pet.ts"
export { petStatuses } from "./Pet.ts"
export { layer, layerConfig, type Methods, PetStoreClient } from "./PetStoreClient.ts"
