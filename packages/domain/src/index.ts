/** Adds that may be repeated. */
export * as Idempotency from "./Idempotency.ts"
/** What a list is asked for. */
export * as ListPets from "./ListPets.ts"
/** Pets. */
export * as Pet from "./Pet.ts"
/** The ids of pets that are added or imported. */
export * as PetIds from "./PetIds.ts"
/** Pages of the catalogue. */
export * as PetPage from "./PetPage.ts"
/** The three states of availability. */
export * as PetStatus from "./PetStatus.ts"
/** The port that a store provides. */
export * as PetStore from "./PetStore.ts"
/** The use cases of pets. */
export * as Pets from "./Pets.ts"
