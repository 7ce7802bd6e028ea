/** Any API over HTTP. */
export * as ApiServer from "./ApiServer.ts"
/** Who calls. */
export * as Authentication from "./Authentication.ts"
/** The address of the caller. */
export * as ClientAddress from "./ClientAddress.ts"
/** Handlers: their types, and a failure that most have. */
export * as Handlers from "./Handlers.ts"
/** The listening socket. */
export * as HttpListener from "./HttpListener.ts"
/** The error of listeners. */
export * as ListenFailed from "./ListenFailed.ts"
/** A plain server of Node. */
export * as Listening from "./Listening.ts"
/** An API inside another server. */
export * as Mounting from "./Mounting.ts"
/** What watches requests. */
export * as Observer from "./Observer.ts"
