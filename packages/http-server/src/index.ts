/** The address of the caller. */
export * as ClientAddress from "./ClientAddress.ts"
/** The handlers of the operations. */
export * as Handlers from "./Handlers.ts"
/** The listening socket. */
export * as HttpListener from "./HttpListener.ts"
/** The error of listeners. */
export * as ListenFailed from "./ListenFailed.ts"
/** What watches requests. */
export * as Observer from "./Observer.ts"
/** The Pet Store over HTTP. */
export * as PetStoreServer from "./PetStoreServer.ts"
/** One text on a port of its own. */
export * as TextListener from "./TextListener.ts"
