/** The handlers of the operations. */
export * as Handlers from "./Handlers.ts"
/** The listening socket. */
export * as HttpListener from "./HttpListener.ts"
/** The Pet Store over HTTP. */
export * as PetStoreServer from "./PetStoreServer.ts"
