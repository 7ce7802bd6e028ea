/** Keys that were issued. */
export * as ApiKey from "./ApiKey.ts"
/** The port that storage provides for keys. */
export * as ApiKeyStore from "./ApiKeyStore.ts"
/** The use cases of keys. */
export * as ApiKeys from "./ApiKeys.ts"
/** Effects that never wait. */
export * as Immediate from "./Immediate.ts"
/** Exact 64-bit integers. */
export * as Int64 from "./Int64.ts"
/** The port that makes new keys. */
export * as KeyMaker from "./KeyMaker.ts"
/** How a key is written. */
export * as KeyText from "./KeyText.ts"
/** The animals. */
export * as Pet from "./Pet.ts"
/** Pages of the catalogue. */
export * as PetPage from "./PetPage.ts"
/** The three states of availability. */
export * as PetStatus from "./PetStatus.ts"
/** The port that storage provides. */
export * as PetStore from "./PetStore.ts"
/** The use cases. */
export * as Pets from "./Pets.ts"
/** The failure of a store. */
export * as StoreUnavailable from "./StoreUnavailable.ts"
