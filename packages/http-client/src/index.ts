/** Calls a Pet Store service. */
export * from "./Deprecation.ts"
export * from "./Errors.ts"
export * from "./Json.ts"
export type * from "./Options.ts"
export type * from "./Pet.ts"
export { petStatuses } from "./Pet.ts"
export * from "./PetStore.ts"
