/** Calls a Pet Store service with the `HttpClient` of `@effect/platform`. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Options } from "./EffectClient.ts"
import type { InvalidInput } from "./Errors.ts"
import { byHttpClient } from "./internal/HttpClientFetch.ts"
import { make, PetStoreClient } from "./PetStoreClient.ts"

/**
 * A client that sends by the `HttpClient` of its environment, with whatever that one adds. Whether redirects are
 * followed is up to the `HttpClient`.
 */
export const layerHttpClient = (
  options: Omit<Options, "fetch">
): Layer.Layer<PetStoreClient, InvalidInput, HttpClient.HttpClient> =>
  Layer.effect(
    PetStoreClient,
    Effect.flatMap(HttpClient.HttpClient, (client) => make(options, byHttpClient(client)))
  )
