/** The server under test, with the fixture. */
import * as ApiServer from "@petstore/http-transport/ApiServer"
import { Authentication, type Caller } from "@petstore/http-transport/Authentication"
import * as HttpListener from "@petstore/http-transport/HttpListener"
import { Effect, Either, Exit, Layer } from "effect"
import { keys } from "./Request.ts"
import * as Things from "./Things.ts"
import { contract } from "./ThingsApi.ts"

/** What a test wants otherwise than usual. */
export interface Options {
  readonly shelf?: Things.Change
  readonly server?: Partial<ApiServer.Options>
  readonly listener?: Partial<HttpListener.Options>
  readonly authentication?: Layer.Layer<Authentication>
  readonly logger?: Layer.Layer<never>
}

/** The id of the key with all scopes. */
export const keyId = "0123456789"

const callers = new Map<string, Caller>([
  [keys.all, { id: keyId, digest: "all", scopes: ["things:read", "things:write"] }],
  [keys.read, { digest: "read", scopes: ["things:read"] }],
  [keys.write, { digest: "write", scopes: ["things:write"] }]
])

/** The keys that a test server knows. */
export const authentication = Layer.succeed(Authentication, {
  authenticate: (token) =>
    Exit.fromEither(Either.fromNullable(callers.get(token), () => ({ reason: "unknown" }))),
  isReady: () => true
})

/** A listening socket without a service. */
export const listener = (options: Options["listener"] = {}) =>
  HttpListener.layer({ ...HttpListener.defaults, host: "127.0.0.1", port: 0, ...options }).pipe(
    Layer.orDie
  )

/** The fixture as an API to serve, or to mount in another server. */
export const api = (changed: Options["server"] = {}) => {
  const options = { ...ApiServer.defaultsOf(contract.prefix), ...changed }
  return {
    ...options,
    ...contract,
    handlers: Things.handlers,
    ready: Effect.flatMap(Things.Shelf, ({ list }) => list(1))
  }
}

/** The fixture on the listener and the shelf that are given. */
export const serving = ({ authentication: keys = authentication, server }: Options = {}) =>
  ApiServer.layer(api(server)).pipe(Layer.provide(keys))

/** The fixture on a socket of its own. */
export const layer = (options: Options = {}) =>
  serving(options).pipe(
    Layer.provideMerge(Things.layer(options.shelf)),
    Layer.provideMerge(listener(options.listener)),
    Layer.provide(options.logger ?? Layer.empty)
  )

export const { count } = Things
