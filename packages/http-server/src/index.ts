/** Digests of API keys. */
export * as Authentication from "./Authentication.ts"
/** The handlers of the operations. */
export * as Handlers from "./Handlers.ts"
/** The listening socket. */
export * as HttpListener from "./HttpListener.ts"
/** Makes new keys. */
export * as NodeKeyMaker from "./NodeKeyMaker.ts"
/** The Pet Store over HTTP. */
export * as PetStoreServer from "./PetStoreServer.ts"
