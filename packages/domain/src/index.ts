/** Adds that may be repeated. */
export * as Idempotency from "./Idempotency.ts"
/** Exact 64-bit integers. */
export * as Int64 from "./Int64.ts"
/** The ids of pets that are added or imported. */
export * as Numbering from "./Numbering.ts"
/** Pets. */
export * as Pet from "./Pet.ts"
/** Pages of the catalogue. */
export * as PetPage from "./PetPage.ts"
/** The three states of availability. */
export * as PetStatus from "./PetStatus.ts"
/** The port that a store provides. */
export * as PetStore from "./PetStore.ts"
/** The use cases of pets. */
export * as Pets from "./Pets.ts"
/** What all ports have in common. */
export * as Port from "./Port.ts"
/** The failure of a store. */
export * as StoreUnavailable from "./StoreUnavailable.ts"
/** The use cases of all resources. */
export * as UseCases from "./UseCases.ts"
