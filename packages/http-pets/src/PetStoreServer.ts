/** The Pet Store over HTTP. */
import type { ApiKeys } from "@petstore/access/ApiKeys"
import { PageLimit } from "@petstore/domain/PetPage"
import { Pets } from "@petstore/domain/Pets"
import * as ApiServer from "@petstore/http-transport/ApiServer"
import type { HttpListener } from "@petstore/http-transport/HttpListener"
import type { ListenFailed } from "@petstore/http-transport/NodeServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ApiKeyAuthentication from "./ApiKeyAuthentication.ts"
import * as PetHandlers from "./PetHandlers.ts"
import { contract } from "./PetStoreApi.ts"

export type { Limit, Options } from "@petstore/http-transport/ApiServer"

/** The default options. */
export const defaults: ApiServer.Options = ApiServer.defaultsOf(contract.prefix)

/** The Pet Store as an API: to serve, or to answer requests of a `fetch` with. */
export const api = (options: ApiServer.Options) => ({
  ...options,
  ...contract,
  handlers: PetHandlers.make,
  ready: Effect.flatMap(Pets, (pets) => pets.list({ limit: PageLimit.make(1) }))
})

/** Serves the Pet Store on the listener, until its scope closes. */
export const layer = (
  options: ApiServer.Options
): Layer.Layer<never, ListenFailed, Pets | ApiKeys | HttpListener> =>
  ApiServer.layer(api(options)).pipe(Layer.provide(ApiKeyAuthentication.layer))
