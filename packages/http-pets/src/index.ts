/** Callers with API keys. */
export * as ApiKeyAuthentication from "./ApiKeyAuthentication.ts"
/** The handlers of pets. */
export * as PetHandlers from "./PetHandlers.ts"
/** The contract. */
export * as PetStoreApi from "./PetStoreApi.ts"
/** The errors. */
export * as PetStoreErrors from "./PetStoreErrors.ts"
/** The Pet Store over HTTP. */
export * as PetStoreServer from "./PetStoreServer.ts"
