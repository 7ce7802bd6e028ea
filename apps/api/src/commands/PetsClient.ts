/** HTTP client of a running service. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Json from "@petstore/http-contract/Json"
import { prefix } from "@petstore/http-contract/PetStoreApi"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as AppConfig from "../AppConfig.ts"
import { failed, fromConfig, refused, unavailable } from "../CommandFailed.ts"
import * as Terminal from "../cli/Terminal.ts"

/** A response, and the path of the next page, if there is one. */
export type Answer<A> = { readonly body: A; readonly next: string | undefined }

/**
 * Sends a request to the service that the environment names: POST with a JSON text, GET without. The path is
 * relative to the service's URL.
 */
export const ask = <A, I>(path: string, schema: Schema.Schema<A, I>, json?: string) =>
  Effect.gen(function* () {
    const { key, url } = yield* Effect.mapError(AppConfig.client, fromConfig)
    const request =
      json === undefined
        ? HttpClientRequest.get(path)
        : HttpClientRequest.bodyText(HttpClientRequest.post(path), json, "application/json")
    const { response, text } = yield* request.pipe(
      HttpClientRequest.prependUrl(url),
      HttpClientRequest.bearerToken(Redacted.value(key)),
      HttpClient.execute,
      Effect.flatMap((response) => Effect.map(response.text, (text) => ({ response, text }))),
      Effect.timeout("30 seconds"),
      Effect.mapError((cause) =>
        unavailable(`cannot reach ${url}: run petstore serve, or ${fix}`, cause)
      )
    )
    const decode = <B, J>(schema: Schema.Schema<B, J>) =>
      Json.parse(text).pipe(
        Effect.flatMap(Schema.decodeUnknown(schema)),
        Effect.mapError(() => failed(`${url} is not a Pet Store: ${fix}`))
      )
    const { headers, status } = response
    if (status < 300) return { body: yield* decode(schema), next: nextOf(headers["link"]) }
    const error = yield* decode(Schema.Struct({ message: Schema.String }))
    const message = Terminal.visible(error.message)
    if (status === 401 || status === 403) {
      const fix = "set PETSTORE_API_KEY to a key that petstore keys create issued for its database"
      return yield* refused(`${message}: ${fix}`)
    }
    return yield* status === 429 || status === 503 ? unavailable(message) : failed(message)
  }).pipe(Effect.provide(FetchHttpClient.layer))

const fix = "set PETSTORE_URL to a running service"

const nextOf = (link = ""): string | undefined =>
  new RegExp(`<${prefix}([^>]*)>; rel="next"`).exec(link)?.[1]
