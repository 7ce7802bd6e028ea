/** Calls a Pet Store service with promises. */
export * from "./Errors.ts"
export * from "./Json.ts"
export type * from "./Options.ts"
export type * from "./Pet.ts"
export { petStatuses } from "./Pet.ts"
export { createPetStore, type Methods, type PetList, type PetStore } from "./PetStore.ts"
