/** Calls a Pet Store service with promises. */
export * from "./Errors.ts"
export type * from "./Options.ts"
export { createPetStore, type Methods, type PetList, type PetStore } from "./PetStore.ts"
export * from "./Resources.ts"
