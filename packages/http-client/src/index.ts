/** Calls a Pet Store service with promises. */
export * from "./Errors.ts"
export type * from "./Options.ts"
export {
  type ListQuery,
  type NewPet,
  type OtherStatus,
  type Page,
  type Pet,
  type PetStatus,
  petStatuses
} from "./Pet.ts"
export { createPetStore, type PetList, type PetStore } from "./PetStore.ts"
