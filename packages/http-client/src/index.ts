/** Calls a Pet Store service with promises. */
export type { ListOf, PageOf, Result } from "./Client.ts"
export * from "./Deprecation.ts"
export * from "./Errors.ts"
export * from "./Json.ts"
export type * from "./Options.ts"
export type * from "./Pet.ts"
export { petStatuses } from "./Pet.ts"
export { createPetStore, type PetList, type PetStore } from "./PetStore.ts"
